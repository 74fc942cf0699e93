package io.gator.routing;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.gator.Job;
import io.gator.JobDispatchException;
import io.gator.Unique;
import io.gator.routing.TestJobs.Broken;
import io.gator.routing.TestJobs.Item;
import io.gator.routing.TestJobs.OfItems;
import io.gator.routing.TestJobs.OfLong;
import io.gator.routing.TestJobs.OfSerializable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The keys of batches and of unique jobs that arguments give.
 */
class ArgumentKeysTests {

	private final ArgsCodec codec = TestJobs.codec();

	@Test
	void theKeyOfABatchIsAPropertyOfItsItems() {
		Route route = TestJobs.route(OfItems.class, this.codec);
		assertThat(this.codec.batchKey(route, TestJobs.encode(OfItems.class, new Item("a b", 1)))).isEqualTo("a b");
		assertThat(this.codec.batchKey(route, TestJobs.encode(OfItems.class, new Item(null, 1)))).isNull();
		String longest = "x".repeat(512);
		assertThat(this.codec.batchKey(route, TestJobs.encode(OfItems.class, new Item(longest, 1)))).isEqualTo(longest);
		assertThat(this.codec.batchKey(TestJobs.route(OfLong.class), "[1]")).isNull();
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> this.codec.batchKey(route, TestJobs.encode(OfItems.class, new Item("x".repeat(513), 1))))
			.withMessageContaining("'OfItems'")
			.withMessageContaining("'tenant'");
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> this.codec.batchKey(route, TestJobs.encode(OfItems.class, new Item("\u0000", 1))))
			.withMessageContaining("U+0000");
	}

	@Test
	void theUniqueKeyIsTheSameForTheSameArgumentsThatCount() {
		Route route = TestJobs.route(OfUnique.class, this.codec);
		String key = this.codec.uniqueKey(route, new Object[] { 1L, Map.of(), "x" });
		assertThat(key).matches("OfUnique:[0-9a-f]{64}");
		assertThat(this.codec.uniqueKey(route, new Object[] { 1, Map.of(), "another" })).isEqualTo(key);
		assertThat(this.codec.uniqueKey(route, new Object[] { 2L, Map.of(), "x" })).isNotEqualTo(key);
		Map<String, Integer> one = new LinkedHashMap<>(Map.of("a", 1));
		one.put("b", 2);
		Map<String, Integer> other = new LinkedHashMap<>(Map.of("b", 2));
		other.put("a", 1);
		assertThat(this.codec.uniqueKey(route, new Object[] { 1L, one, "x" }))
			.isEqualTo(this.codec.uniqueKey(route, new Object[] { 1L, other, "x" }))
			.isNotEqualTo(key);
		assertThat(this.codec.uniqueKey(TestJobs.route(OfLong.class), new Object[] { 1L })).isNull();
		Route serializable = TestJobs.route(OfSerializable.class, this.codec);
		assertThat(this.codec.uniqueKey(serializable, new Object[] { 1L }))
			.isNotEqualTo(this.codec.uniqueKey(serializable, new Object[] { 2L }));
	}

	@Test
	void theUniqueKeyOfSetsAndMapsDoesNotDependOnTheirOrder() {
		Route route = TestJobs.route(OfUnordered.class, this.codec);
		// Of one bucket, so that their order in a hash set is that of their insertion.
		Set<String> set = new HashSet<>(List.of("Aa", "BB"));
		Set<String> sameSet = new HashSet<>(List.of("BB", "Aa"));
		assertThat(set).isEqualTo(sameSet);
		assertThat(List.copyOf(new ArrayList<>(set))).isNotEqualTo(new ArrayList<>(sameSet));
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("set", Set.of(1, 2, 3));
		map.put("deep", List.of(set, new TreeMap<>(Map.of("a", 1, "b", 2))));
		Map<String, Object> sameMap = new TreeMap<>(Comparator.reverseOrder());
		TreeMap<String, Integer> backwards = new TreeMap<>(Comparator.reverseOrder());
		backwards.putAll(Map.of("a", 1, "b", 2));
		sameMap.put("deep", List.of(sameSet, backwards));
		sameMap.put("set", new LinkedHashSet<>(List.of(3, 2, 1)));
		assertThat(map).isEqualTo(sameMap);
		Tagged tagged = new Tagged("x", set, List.of("a", "b"));
		Tagged sameTagged = new Tagged("x", new LinkedHashSet<>(List.of("BB", "Aa")), List.of("a", "b"));
		assertThat(tagged).isEqualTo(sameTagged);
		String key = this.codec.uniqueKey(route, new Object[] { set, map, tagged, new LinkedHashSet<>(set) });
		assertThat(this.codec.uniqueKey(route, new Object[] { sameSet, sameMap, sameTagged, sameSet })).isEqualTo(key);
		for (Object[] different : new Object[][] { { Set.of("Aa"), map, tagged, set }, { set, Map.of(), tagged, set },
				{ set, map, new Tagged("x", set, List.of("b", "a")), set },
				{ set, map, tagged, List.of("BB", "Aa", "x") } }) {
			assertThat(this.codec.uniqueKey(route, different)).isNotEqualTo(key);
		}
	}

	@Test
	void theUniqueKeyTellsListsOfOtherOrderAndNumbersOfOtherScaleApart() {
		Route route = TestJobs.route(OfUnordered.class, this.codec);
		assertThat(key(route, List.of("a", "b"))).isNotEqualTo(key(route, List.of("b", "a")));
		assertThat(key(route, List.of("1"), new BigDecimal("1.0")))
			.isNotEqualTo(key(route, List.of("1"), new BigDecimal("1.00")));
		assertThat(key(route, List.of("1"), new BigDecimal("0.1234567890123456789")))
			.isNotEqualTo(key(route, List.of("1"), new BigDecimal("0.1234567890123456788")));
	}

	@Test
	void aValueWhoseGetterThrowsAnErrorMakesNoUniqueKey() {
		Route route = TestJobs.route(OfUnordered.class, this.codec);
		assertThatExceptionOfType(JobDispatchException.class)
			.isThrownBy(() -> key(route, List.of(), new Broken(new NoClassDefFoundError("gone"))))
			.withMessageContaining("argument 1 (map) cannot be part of a unique key: NoClassDefFoundError");
		assertThatExceptionOfType(InternalError.class)
			.isThrownBy(() -> key(route, List.of(), new Broken(new InternalError("not really"))));
	}

	@Test
	void whatIsStoredKeepsItsOrderWhateverTheKey() {
		Route route = TestJobs.route(OfUnordered.class, this.codec);
		Map<String, Object> map = new LinkedHashMap<>();
		map.put("z", 1);
		map.put("a", 2);
		assertThat(this.codec.encode(route,
				new Object[] { new LinkedHashSet<>(List.of("b", "a")), map, new Tagged("x", Set.of(), List.of()),
						List.of() }))
			.isEqualTo("[[\"b\",\"a\"],{\"z\":1,\"a\":2},{\"name\":\"x\",\"tags\":[],\"list\":[]},[]]");
	}

	private @Nullable String key(Route route, List<String> list, Object... values) {
		return this.codec.uniqueKey(route, new Object[] { Set.of(), Map.of("values", List.of(values)),
				new Tagged("x", Set.of(), list), List.of() });
	}

	@Job
	@Unique(args = { 0, 1 })
	static class OfUnique {

		void handle(long id, Map<String, Integer> map, String other) {
		}

	}

	record Tagged(String name, Set<String> tags, List<String> list) {

	}

	@Job
	@Unique
	static class OfUnordered {

		void handle(Set<String> set, Map<String, Object> map, Tagged tagged, Collection<String> collection) {
		}

	}

}
