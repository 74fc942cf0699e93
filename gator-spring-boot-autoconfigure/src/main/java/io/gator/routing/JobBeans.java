package io.gator.routing;

import java.lang.annotation.Annotation;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.gator.Buffered;
import io.gator.Job;
import io.gator.JobHandler;
import io.gator.Recurring;
import io.gator.RetryWith;
import io.gator.Unique;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds the beans annotated with {@link Job} without creating any.
 */
final class JobBeans {

	private static final Logger logger = LoggerFactory.getLogger(JobBeans.class);

	private static final Set<String> SCOPES_OF_REQUESTS = Set.of("request", "session");

	private static final List<Class<? extends Annotation>> RULES = List.of(Recurring.class, RetryWith.class,
			Buffered.class, Unique.class);

	private final ConfigurableListableBeanFactory beanFactory;

	JobBeans(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	void forEach(Consumer<JobBean> consumer) {
		eachType((name, type) -> {
			if (has(type, Job.class)) {
				consumer.accept(jobBean(name, type));
			}
		});
	}

	/**
	 * Create lazy beans that are declared as nothing but a {@link JobHandler}. Their
	 * class shows only when they exist, and nobody else creates the bean of a job.
	 */
	void createHidden() {
		for (String name : this.beanFactory.getBeanNamesForType(JobHandler.class, false, false)) {
			BeanDefinition definition = definition(name);
			Class<?> type = type(name);
			if (definition != null && definition.isLazyInit() && definition.isSingleton() && type != null
					&& type.isInterface()) {
				this.beanFactory.getBean(name);
			}
		}
	}

	/**
	 * Refuse beans with an annotation that says how a job is run, but without
	 * {@link Job}: their schedule or rule for retries would do nothing, and nobody would
	 * know. Called when all beans exist, because before that some show only a superclass.
	 * A {@link JobHandler} may be meant for another job to call, so one that is no job is
	 * only logged.
	 * @throws InvalidJobException if there is one
	 */
	void refuseHalfJobs() {
		eachType((name, type) -> {
			if (!has(type, Job.class)) {
				if (JobHandler.class.isAssignableFrom(type)) {
					logger.warn("The bean '{}' ({}) is a JobHandler but has no @Job, so it is no job", name,
							type.getName());
				}
				RULES.stream().filter((rule) -> has(type, rule)).findFirst().ifPresent((rule) -> {
					throw new InvalidJobException(
							"The bean '%s' (%s) has @%s but not @Job, so it is no job.".formatted(name, type.getName(),
									rule.getSimpleName()),
							"Annotate the class with @Job, or remove @%s.".formatted(rule.getSimpleName()));
				});
			}
		});
	}

	private void eachType(BiConsumer<String, Class<?>> consumer) {
		Iterator<String> names = this.beanFactory.getBeanNamesIterator();
		while (names.hasNext()) {
			String name = names.next();
			if (ScopedProxyUtils.isScopedTarget(name) || isAbstract(name)) {
				continue;
			}
			Class<?> type = type(name);
			// An abstract type may be just the declared one: the class shows when the
			// bean exists.
			if (type != null && (!Modifier.isAbstract(type.getModifiers()) || isMadeOf(name, type))) {
				consumer.accept(name, type);
			}
		}
	}

	private JobBean jobBean(String name, Class<?> type) {
		JobBean bean = new JobBean(this.beanFactory, name, type, declaredType(name, type), isSingleton(name));
		if (isOfRequest(name) || isOfRequest(ScopedProxyUtils.getTargetBeanName(name))) {
			throw new InvalidJobException(
					"The job %s lives in a web request or session, but jobs run outside of them.".formatted(bean),
					"Make it a singleton and dispatch what it needs from the request as arguments.");
		}
		return bean;
	}

	private static boolean has(Class<?> type, Class<? extends Annotation> annotation) {
		return AnnotationUtils.isCandidateClass(type, annotation)
				&& MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(annotation);
	}

	/**
	 * The class of a bean, behind any proxy.
	 * @param name the name of the bean
	 * @return the class, or {@code null} if it does not show yet
	 */
	@Nullable Class<?> type(String name) {
		Class<?> type = this.beanFactory.getType(name, false);
		if (type != null && Proxy.isProxyClass(type)) {
			type = behind(name, type);
		}
		return (type != null) ? ClassUtils.getUserClass(type) : null;
	}

	// A JDK proxy hides the class; but if there is a proxy, the bean exists and can be
	// asked.
	private @Nullable Class<?> behind(String name, Class<?> proxyClass) {
		// The proxy of a scope is made by another bean, which is all there is to ask.
		String target = ScopedProxyUtils.getTargetBeanName(name);
		if (this.beanFactory.containsBeanDefinition(target)) {
			return type(target);
		}
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		if (type == null || type == proxyClass) {
			Object bean = this.beanFactory.getSingleton(name);
			type = (bean != null) ? AopUtils.getTargetClass(bean) : null;
		}
		BeanDefinition definition = definition(name);
		// A proxy that is not Spring's does not tell.
		return (type != null && Proxy.isProxyClass(type) && definition != null)
				? definition.getResolvableType().resolve() : type;
	}

	// The class does not know its type arguments; a method that makes the bean does.
	private Type declaredType(String name, Class<?> type) {
		BeanDefinition definition = definition(name);
		ResolvableType declared = (definition != null) ? definition.getResolvableType() : ResolvableType.NONE;
		return (declared.resolve() == type) ? declared.getType() : type;
	}

	// Spring makes a bean of an abstract class itself if the class has lookup methods to
	// fill in.
	private boolean isMadeOf(String name, Class<?> type) {
		return definition(name) instanceof AbstractBeanDefinition definition
				&& type.getName().equals(definition.getBeanClassName()) && definition.getFactoryMethodName() == null
				&& definition.getInstanceSupplier() == null;
	}

	private boolean isAbstract(String name) {
		BeanDefinition definition = definition(name);
		return definition != null && definition.isAbstract();
	}

	private boolean isSingleton(String name) {
		BeanDefinition definition = definition(name);
		return definition == null || definition.isSingleton();
	}

	private boolean isOfRequest(String name) {
		BeanDefinition definition = definition(name);
		return definition != null && definition.getScope() != null
				&& SCOPES_OF_REQUESTS.contains(definition.getScope());
	}

	private @Nullable BeanDefinition definition(String name) {
		return this.beanFactory.containsBeanDefinition(name) ? this.beanFactory.getMergedBeanDefinition(name) : null;
	}

}
