package io.gator.routing;

import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

import io.gator.RetryDecision;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.function.SingletonSupplier;

/**
 * Makes the retry rules of jobs.
 */
final class RetryRules {

	private final ConfigurableListableBeanFactory beanFactory;

	private final JobBeans beans;

	private final Texts texts;

	private final RetryRule defaultRule;

	RetryRules(ConfigurableListableBeanFactory beanFactory, Texts texts, RetryDefaults defaults) {
		this.beanFactory = beanFactory;
		this.beans = new JobBeans(beanFactory);
		this.texts = texts;
		this.defaultRule = defaultRule(defaults);
	}

	RetryRule create(JobBean bean, @Nullable RetryWith annotation) {
		if (annotation == null) {
			return this.defaultRule;
		}
		int maxRetries = maxRetries("The maxRetries of " + bean, annotation.maxRetries());
		String intervalPlace = "The retry interval of " + bean;
		RetryDecision interval = interval(intervalPlace, this.texts.resolve(intervalPlace, annotation.interval()));
		String queuePlace = "The retry queue of " + bean;
		String queue = this.texts.resolve(queuePlace, annotation.queue());
		if (!queue.isEmpty()) {
			interval = interval.onQueue(Texts.name(queuePlace, queue));
		}
		return new RetryRule(maxRetries, interval, policy(bean, annotation.policy()), List.of(annotation.noRetryFor()));
	}

	private static RetryRule defaultRule(RetryDefaults defaults) {
		int maxRetries = maxRetries("The property gator.retry.max-retries", defaults.maxRetries());
		String text = (defaults.interval() != null) ? defaults.interval().strip() : "";
		RetryDecision interval = text.isEmpty() ? RetryDecision.exponential()
				: interval("The property gator.retry.interval", text);
		return new RetryRule(maxRetries, interval, null, List.of());
	}

	private static int maxRetries(String place, int maxRetries) {
		if (maxRetries < RetryWith.UNLIMITED) {
			throw new InvalidJobException("%s is %d.".formatted(place, maxRetries),
					"Give 0 or more, or %d for no limit.".formatted(RetryWith.UNLIMITED));
		}
		return maxRetries;
	}

	private static RetryDecision interval(String place, String text) {
		if (text.equalsIgnoreCase(RetryWith.EXPONENTIAL)) {
			return RetryDecision.exponential();
		}
		Duration interval;
		try {
			interval = Texts.duration(place, text);
		}
		catch (InvalidJobException ex) {
			throw new InvalidJobException(
					"%s is '%s', which is neither '%s' nor a duration of zero or more, such as '30s', '5m' or 'PT5M'."
						.formatted(place, text, RetryWith.EXPONENTIAL),
					"Give one of them.");
		}
		return RetryDecision.after(interval);
	}

	private @Nullable Supplier<RetryPolicy> policy(JobBean bean, Class<? extends RetryPolicy> type) {
		if (type == RetryPolicy.class) {
			return null;
		}
		List<String> names = Arrays.stream(this.beanFactory.getBeanNamesForType(RetryPolicy.class, true, false))
			.filter((name) -> isOf(name, type))
			.map((name) -> ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name) : name)
			.distinct()
			.toList();
		if (names.isEmpty()) {
			checkCanBeCreated(bean, type);
			return SingletonSupplier.of(() -> created(bean, type));
		}
		if (names.size() > 1) {
			throw new InvalidJobException(
					"There are %d beans of the retry policy %s of %s: %s.".formatted(names.size(), type.getName(), bean,
							String.join(", ", names)),
					"Keep only one of them, or name a more specific class in @RetryWith(policy = …).");
		}
		return () -> this.beanFactory.getBean(names.get(0), RetryPolicy.class);
	}

	private RetryPolicy created(JobBean bean, Class<? extends RetryPolicy> type) {
		try {
			return this.beanFactory.createBean(type);
		}
		catch (BeansException ex) {
			throw new InvalidJobException(
					"The retry policy %s of %s is not a bean and cannot be created: %s".formatted(type.getName(), bean,
							ex.getMostSpecificCause().getMessage()),
					"Declare a bean of it, or give it a constructor that takes nothing but beans.", ex);
		}
	}

	// The bean factory does not see the class of a bean behind a JDK proxy.
	private boolean isOf(String name, Class<?> type) {
		if (this.beanFactory.isTypeMatch(name, type)) {
			return true;
		}
		Class<?> found = this.beans.type(name);
		return found != null && type.isAssignableFrom(found);
	}

	private static void checkCanBeCreated(JobBean bean, Class<?> type) {
		boolean inner = type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
		if (Modifier.isAbstract(type.getModifiers()) || inner || type.isLocalClass()) {
			throw new InvalidJobException(
					"The retry policy %s of %s is not a bean and cannot be created, because it is %s.".formatted(
							type.getName(), bean,
							type.isInterface() ? "an interface"
									: inner || type.isLocalClass() ? "not static" : "abstract"),
					"Declare a bean of it, or name a class that can be created.");
		}
	}

}
