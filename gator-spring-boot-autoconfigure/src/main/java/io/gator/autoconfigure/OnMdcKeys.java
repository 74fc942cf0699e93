package io.gator.autoconfigure;

import java.util.List;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if keys of the logging context are to travel with the jobs.
 */
class OnMdcKeys extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		List<String> keys = Binder.get(context.getEnvironment())
			.bind("gator.mdc-keys", Bindable.listOf(String.class))
			.orElse(List.of());
		ConditionMessage.Builder message = ConditionMessage.forCondition("gator.mdc-keys");
		return keys.isEmpty() ? ConditionOutcome.noMatch(message.because("none are given"))
				: ConditionOutcome.match(message.because("there are some"));
	}

}
