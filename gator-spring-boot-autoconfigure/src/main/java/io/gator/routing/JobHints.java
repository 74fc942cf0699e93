package io.gator.routing;

import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.gator.JobContext;
import io.gator.OnDead;
import io.gator.RetryPolicy;
import io.gator.RetryWith;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.aot.BeanFactoryInitializationCode;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Tells a native image what is found by reflection: the methods of the jobs, what they
 * take and return, and their retry policies.
 */
class JobHints implements BeanFactoryInitializationAotProcessor {

	@Override
	public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
			ConfigurableListableBeanFactory beanFactory) {
		List<Class<?>> jobs = new ArrayList<>();
		new JobBeans(beanFactory).forEach((bean) -> jobs.add(bean.type()));
		return jobs.isEmpty() ? null : new Contribution(jobs);
	}

	private record Contribution(List<Class<?>> jobs) implements BeanFactoryInitializationAotContribution {

		@Override
		public void applyTo(GenerationContext context, BeanFactoryInitializationCode code) {
			this.jobs.forEach((job) -> register(job, context.getRuntimeHints()));
		}

		private static void register(Class<?> job, RuntimeHints hints) {
			hints.reflection().registerType(job, MemberCategory.INVOKE_DECLARED_METHODS);
			for (Method method : Methods.find(job, Contribution::isCalled)) {
				hints.reflection().registerMethod(method, ExecutableMode.INVOKE);
				types(method, job).forEach((type) -> new BindingReflectionHintsRegistrar()
					.registerReflectionHints(hints.reflection(), type));
			}
			RetryWith retry = AnnotatedElementUtils.findMergedAnnotation(job, RetryWith.class);
			if (retry != null && retry.policy() != RetryPolicy.class) {
				hints.reflection().registerType(retry.policy(), MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
			}
		}

		private static boolean isCalled(Method method) {
			return method.getName().equals("handle") || AnnotatedElementUtils.hasAnnotation(method, OnDead.class);
		}

		/**
		 * Resolved by the job: a superclass may leave types open that the job fills in.
		 */
		private static Set<Class<?>> types(Method method, Class<?> job) {
			Set<Class<?>> types = new LinkedHashSet<>();
			Set<Type> seen = new HashSet<>();
			add(types, ResolvableType.forMethodReturnType(method, job), seen);
			for (int i = 0; i < method.getParameterCount(); i++) {
				add(types, ResolvableType.forMethodParameter(method, i, job), seen);
			}
			types.removeAll(Set.of(JobContext.class, void.class));
			return types;
		}

		private static void add(Set<Class<?>> types, ResolvableType type, Set<Type> seen) {
			if (!seen.add(type.getType())) {
				// A type may be named in its own bounds.
				return;
			}
			Class<?> resolved = type.resolve();
			if (resolved != null) {
				types.add(resolved);
			}
			for (ResolvableType argument : type.getGenerics()) {
				add(types, argument, seen);
			}
			if (type.isArray()) {
				add(types, type.getComponentType(), seen);
			}
		}

	}

}
