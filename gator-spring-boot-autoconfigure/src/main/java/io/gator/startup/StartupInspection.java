package io.gator.startup;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.gator.routing.Routes;
import io.gator.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;

/**
 * Reports and checks once, before the pools begin to claim.
 */
public final class StartupInspection implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger("io.gator.startup");

	private final Routes routes;

	private final Supplier<StartupFacts> facts;

	private final List<StartupCheck> checks;

	private final boolean fail;

	private final int phase;

	private volatile boolean done;

	private volatile boolean running;

	/**
	 * Create an inspection.
	 * @param routes the jobs of this application
	 * @param facts what to look at; asked when the application starts
	 * @param checks the checks
	 * @param fail whether harm ends the start
	 * @param phase when to look; before the pools start
	 */
	public StartupInspection(Routes routes, Supplier<StartupFacts> facts, List<StartupCheck> checks, boolean fail,
			int phase) {
		this.routes = routes;
		this.facts = facts;
		this.checks = List.copyOf(checks);
		this.fail = fail;
		this.phase = phase;
	}

	@Override
	public void start() {
		this.running = true;
		if (!this.done) {
			this.done = true;
			runOnce();
		}
	}

	/**
	 * Report and check.
	 * @return what is wrong
	 */
	List<String> runOnce() {
		StartupFacts facts;
		try {
			facts = this.facts.get();
		}
		catch (StoreException ex) {
			logger.warn("The start-up checks could not read the server's settings: {}", ex.getMessage());
			return List.of();
		}
		if (logger.isInfoEnabled()) {
			logger.info("{}", StartupReport.of(List.copyOf(this.routes.all()), facts));
		}
		List<String> findings = new ArrayList<>();
		this.checks.forEach((check) -> findings.addAll(check.check(facts)));
		if (this.fail && !findings.isEmpty()) {
			throw new HarmfulSettingsException(findings);
		}
		findings.forEach(logger::warn);
		return findings;
	}

	@Override
	public void stop() {
		this.running = false;
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return this.phase;
	}

}
