package io.gator;

import tools.jackson.databind.json.JsonMapper;

/**
 * Customizes the mapper that writes and reads job arguments. Gator does not use the
 * application's mapper, so that stored rows do not change when the application changes
 * how it talks to its clients. All beans of this type are called, in their order
 * ({@code @Order}), for instance to add modules.
 * <p>
 * A customizer can allow neither default typing nor type ids that are class names, and it
 * cannot change the settings that keep the rows valid JSON.
 */
@FunctionalInterface
public interface GatorJsonCustomizer {

	/**
	 * Customize the mapper.
	 * @param builder the builder of Gator's mapper
	 */
	void customize(JsonMapper.Builder builder);

}
