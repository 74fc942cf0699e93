package io.gator.routing;

import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.Iterator;
import java.util.Set;
import java.util.function.Consumer;

import io.gator.Job;
import org.jspecify.annotations.Nullable;

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

	private static final Set<String> SCOPES_OF_REQUESTS = Set.of("request", "session");

	private final ConfigurableListableBeanFactory beanFactory;

	JobBeans(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	void forEach(Consumer<JobBean> consumer) {
		Iterator<String> names = this.beanFactory.getBeanNamesIterator();
		while (names.hasNext()) {
			JobBean bean = jobBean(names.next());
			if (bean != null) {
				consumer.accept(bean);
			}
		}
	}

	private @Nullable JobBean jobBean(String name) {
		if (ScopedProxyUtils.isScopedTarget(name) || isAbstract(name)) {
			return null;
		}
		Class<?> type = type(name);
		if (type == null || !isJob(type) || (Modifier.isAbstract(type.getModifiers()) && !isMadeOf(name, type))) {
			// An abstract type that is only declared tells nothing yet: the class shows
			// when the bean is there.
			return null;
		}
		JobBean bean = new JobBean(this.beanFactory, name, type, declaredType(name, type), isSingleton(name));
		if (isOfRequest(name) || isOfRequest(ScopedProxyUtils.getTargetBeanName(name))) {
			throw new InvalidJobException(
					"The job %s lives in a web request or session, but jobs run outside of them.".formatted(bean),
					"Make it a singleton and dispatch what it needs from the request as arguments.");
		}
		return bean;
	}

	private static boolean isJob(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, Job.class)
				&& MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).isPresent(Job.class);
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

	// A JDK proxy hides the class, but it exists only where the bean does.
	private @Nullable Class<?> behind(String name, Class<?> proxyClass) {
		Class<?> type = AutoProxyUtils.determineTargetClass(this.beanFactory, name);
		if (type == null || type == proxyClass) {
			Object bean = this.beanFactory.getSingleton(name);
			return (bean != null) ? AopUtils.getTargetClass(bean) : null;
		}
		return type;
	}

	// The class does not know its type arguments; a method that makes the bean does.
	private Type declaredType(String name, Class<?> type) {
		BeanDefinition definition = definition(name);
		ResolvableType declared = (definition != null) ? definition.getResolvableType() : ResolvableType.NONE;
		return (declared.resolve() == type) ? declared.getType() : type;
	}

	// Of an abstract class itself Spring makes a bean if it has lookup methods to fill
	// in.
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
