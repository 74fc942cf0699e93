package io.gator.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless a switch is off, in whatever way the value is written. Boot's own
 * conditions compare texts: one takes {@code off} for on, the other {@code on} for off,
 * and a blank after a value makes it a different value.
 */
abstract class OnSwitch extends SpringBootCondition {

	private final String property;

	private final Object off;

	/**
	 * Create a condition.
	 * @param property the switch
	 * @param off the value that switches it off
	 */
	OnSwitch(String property, Object off) {
		this.property = property;
		this.off = off;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean on = Binder.get(context.getEnvironment())
			.bind(this.property, this.off.getClass())
			.map((value) -> !this.off.equals(value))
			.orElse(true);
		return new ConditionOutcome(on, ConditionMessage.forCondition(this.property).because(on ? "is on" : "is off"));
	}

	/**
	 * Whether Gator is there at all.
	 */
	static class Enabled extends OnSwitch {

		Enabled() {
			super("gator.enabled", false);
		}

	}

	/**
	 * Whether this process runs jobs.
	 */
	static class WorkerEnabled extends OnSwitch {

		WorkerEnabled() {
			super("gator.worker.enabled", false);
		}

	}

	/**
	 * Whether notifications of the database wake pools.
	 */
	static class Notifications extends OnSwitch {

		Notifications() {
			super("gator.worker.wake-up", GatorProperties.WakeUp.POLL);
		}

	}

	/**
	 * Whether there may be observations.
	 */
	static class Observations extends OnSwitch {

		Observations() {
			super("gator.observations", GatorProperties.Observations.NEVER);
		}

	}

}
