package io.gator;

import tools.jackson.databind.json.JsonMapper;

/**
 * Adds to the mapper with which Gator writes and reads the arguments of jobs, which is
 * not the application's own: what is in the rows must not change with the way the
 * application talks to its clients. All beans of this type are called, in their order
 * ({@code @Order}), for instance to add modules.
 * <p>
 * Some things are not open to customizers: default typing, type ids that are class names,
 * and the settings that keep the rows valid JSON.
 */
@FunctionalInterface
public interface GatorJsonCustomizer {

	/**
	 * Add to the mapper.
	 * @param builder the builder of Gator's mapper
	 */
	void customize(JsonMapper.Builder builder);

}
