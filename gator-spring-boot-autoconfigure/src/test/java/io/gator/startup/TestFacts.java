package io.gator.startup;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.gator.store.InsightStore.ServerFacts;
import io.gator.worker.PoolSettings;
import org.jspecify.annotations.Nullable;

/**
 * The facts of a sound setup, which a test changes in one place.
 */
final class TestFacts {

	private static final Map<String, String> GOOD = Map.of("fsync", "on", "full_page_writes", "on",
			"synchronous_commit", "on", "autovacuum", "on", "track_counts", "on", "max_connections", "100",
			"superuser_reserved_connections", "3", "server_version", "18.6");

	private static final List<String> PLAN = List.of("Index Scan using gator_job_due on gator_job j_1",
			"Index Scan using gator_job_ready on gator_job j_2");

	private final Map<String, String> settings = new LinkedHashMap<>(GOOD);

	List<String> withoutAutovacuum = List.of();

	List<String> plan = PLAN;

	@Nullable String schemaVersion = "2";

	int connections = 10;

	boolean transactional;

	boolean pooled;

	boolean dispatchesOnly;

	boolean listens = true;

	Duration springShutdown = Duration.ofSeconds(30);

	Charset charset = StandardCharsets.UTF_8;

	Duration clock = Duration.ZERO;

	TestFacts set(String name, String value) {
		this.settings.put(name, value);
		return this;
	}

	StartupFacts build() {
		PoolSettings pool = new PoolSettings("default", 10, Map.of(), false, Duration.ofSeconds(1),
				Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(25), false);
		return new StartupFacts(new ServerFacts(this.settings, this.withoutAutovacuum, this.schemaVersion, 0),
				this.plan, this.dispatchesOnly ? List.of() : List.of(pool), this.transactional, this.connections, 6,
				this.pooled, this.listens, this.springShutdown, this.charset, this.clock);
	}

}
