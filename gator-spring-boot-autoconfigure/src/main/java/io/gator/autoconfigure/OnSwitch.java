package io.gator.autoconfigure;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches unless a switch is off, however that is written. Boot's own conditions compare
 * texts: one takes {@code off} for on, and the other {@code on} for off.
 */
abstract class OnSwitch extends SpringBootCondition {

	private final String property;

	OnSwitch(String property) {
		this.property = property;
	}

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		boolean on = Binder.get(context.getEnvironment()).bind(this.property, Boolean.class).orElse(true);
		return new ConditionOutcome(on, ConditionMessage.forCondition(this.property).because(on ? "is on" : "is off"));
	}

	/**
	 * Whether Gator is there at all.
	 */
	static class Enabled extends OnSwitch {

		Enabled() {
			super("gator.enabled");
		}

	}

	/**
	 * Whether this process runs jobs.
	 */
	static class WorkerEnabled extends OnSwitch {

		WorkerEnabled() {
			super("gator.worker.enabled");
		}

	}

}
