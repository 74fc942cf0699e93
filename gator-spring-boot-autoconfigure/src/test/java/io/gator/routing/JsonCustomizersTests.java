package io.gator.routing;

import java.util.Locale;
import java.util.Map;

import com.fasterxml.jackson.annotation.JsonFormat;
import io.gator.GatorJsonCustomizer;
import io.gator.Job;
import io.gator.routing.TestJobs.OfLong;
import io.gator.routing.TestJobs.OfString;
import io.gator.routing.TestJobs.OfUntyped;
import kotlin.Pair;
import org.junit.jupiter.api.Test;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonWriteFeature;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.JacksonModule;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdSerializer;
import tools.jackson.databind.ser.std.ToStringSerializer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * What an application may add to the JSON of its jobs, and what it may not.
 */
class JsonCustomizersTests {

	@Test
	void aCustomizerMayAddModules() {
		ArgsCodec customized = TestJobs.codec((builder) -> builder.addModule(new Shouting()));
		Route route = TestJobs.route(OfString.class, customized);
		assertThat(customized.encode(route, new Object[] { "a" })).isEqualTo("[\"A\"]");
	}

	@Test
	void aCustomizerMayChooseAnotherPartOfJackson() {
		SimpleModule texts = new SimpleModule().addSerializer(Long.class, ToStringSerializer.instance)
			.addSerializer(long.class, ToStringSerializer.instance);
		ArgsCodec customized = TestJobs.codec((builder) -> builder.addModule(texts)
			.withConfigOverride(Boolean.class,
					(override) -> override.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.NUMBER))));
		Route longs = TestJobs.route(OfLong.class, customized);
		assertThat(customized.encode(longs, new Object[] { 7L })).isEqualTo("[\"7\"]");
		assertThat(customized.decode(longs, "[\"7\"]")).containsExactly(7L);
		Route booleans = TestJobs.route(OfTruth.class, customized);
		assertThat(customized.encode(booleans, new Object[] { true })).isEqualTo("[1]");
		assertThat(customized.decode(booleans, "[1]")).containsExactly(true);
	}

	@Test
	void classesOfKotlinArriveAsTheyAreWithoutACustomizer() {
		ArgsCodec codec = TestJobs.codec();
		Route route = TestJobs.route(OfPair.class, codec);
		String json = codec.encode(route, new Object[] { new Pair<>("a", 1) });
		assertThat(json).isEqualTo("[{\"first\":\"a\",\"second\":1}]");
		assertThat(codec.decode(route, json)).containsExactly(new Pair<>("a", 1));
	}

	@Test
	void aCustomizerCannotSpoilTheRows() {
		ArgsCodec customized = TestJobs.codec((builder) -> builder.enable(SerializationFeature.INDENT_OUTPUT)
			.disable(JsonWriteFeature.QUOTE_PROPERTY_NAMES)
			.disable(JsonWriteFeature.WRITE_NAN_AS_STRINGS)
			.enable(DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS));
		Route route = TestJobs.route(OfUntyped.class, customized);
		assertThat(customized.encode(route, new Object[] { Map.of("a", Double.NaN) })).isEqualTo("[{\"a\":\"NaN\"}]");
	}

	@Test
	void defaultTypingIsRefused() {
		GatorJsonCustomizer direct = (builder) -> builder.activateDefaultTyping(
				BasicPolymorphicTypeValidator.builder().allowIfBaseType(Object.class).build(), DefaultTyping.NON_FINAL);
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> TestJobs.codec(direct))
			.withMessageContaining("GatorJsonCustomizer")
			.withMessageContaining("default typing")
			.satisfies((ex) -> assertThat(ex.action()).contains("Id.NAME"));
		GatorJsonCustomizer hidden = (builder) -> builder.addModule(new SimpleModule("hidden") {

			private static final long serialVersionUID = 1L;

			@Override
			public void setupModule(JacksonModule.SetupContext context) {
				direct.customize((JsonMapper.Builder) context.getOwner());
			}

		});
		assertThatExceptionOfType(InvalidJobException.class).isThrownBy(() -> TestJobs.codec(hidden));
	}

	@Job
	static class OfPair {

		void handle(Pair<String, Integer> pair) {
		}

	}

	@Job
	static class OfTruth {

		void handle(Boolean value) {
		}

	}

	/**
	 * Writes texts in capitals.
	 */
	static class Shouting extends SimpleModule {

		private static final long serialVersionUID = 1L;

		Shouting() {
			addSerializer(String.class, new StdSerializer<>(String.class) {

				@Override
				public void serialize(String value, JsonGenerator generator, SerializationContext context) {
					generator.writeString(value.toUpperCase(Locale.ROOT));
				}

			});
		}

	}

}
