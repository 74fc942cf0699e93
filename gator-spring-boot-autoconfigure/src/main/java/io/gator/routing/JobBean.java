package io.gator.routing;

import java.lang.reflect.Type;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * The bean of a job, fetched when it is first needed. One that is not a singleton is
 * fetched for each call.
 */
final class JobBean {

	private final ConfigurableListableBeanFactory beanFactory;

	private final String name;

	private final Class<?> type;

	private final Type declaredType;

	private final boolean singleton;

	private volatile @Nullable Object instance;

	/**
	 * Create a reference.
	 * @param beanFactory where the bean is
	 * @param name its name
	 * @param type its class, behind any proxy
	 * @param declaredType the same with its type arguments, as far as they are known
	 * @param singleton whether there is only one
	 */
	JobBean(ConfigurableListableBeanFactory beanFactory, String name, Class<?> type, Type declaredType,
			boolean singleton) {
		this.beanFactory = beanFactory;
		this.name = name;
		this.type = type;
		this.declaredType = declaredType;
		this.singleton = singleton;
	}

	String name() {
		return this.name;
	}

	Class<?> type() {
		return this.type;
	}

	Type declaredType() {
		return this.declaredType;
	}

	Object get() {
		Object known = this.instance;
		if (known != null) {
			return known;
		}
		Object bean = this.beanFactory.getBean(this.name);
		if (isSingleton()) {
			this.instance = bean;
		}
		return bean;
	}

	/** A factory bean may be a singleton, and what it makes not. */
	private boolean isSingleton() {
		return this.singleton && this.beanFactory.isSingleton(this.name);
	}

	/**
	 * Whether the bean is there already, so that looking at it creates nothing.
	 * @return {@code false} for lazy singletons and other scopes
	 */
	boolean exists() {
		return this.beanFactory.containsSingleton(this.name) && isSingleton();
	}

	@Override
	public String toString() {
		return "bean '" + this.name + "' (" + this.type.getName() + ")";
	}

}
