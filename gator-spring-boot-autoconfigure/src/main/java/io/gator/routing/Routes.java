package io.gator.routing;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.gator.JobDispatchException;
import io.gator.JobHandler;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * The jobs of this application. They are looked for when they are first asked for, by the
 * types of the beans, so a bean that is still being created may ask. They are looked for
 * and checked once more when all singletons exist, because only then some types and all
 * proxies are known. Both times a mistake throws an {@link InvalidJobException}.
 * Thread-safe.
 */
public final class Routes implements SmartInitializingSingleton {

	private final JobBeans beans;

	private final RouteFactory factory;

	private volatile @Nullable Index index;

	private Routes(JobBeans beans, RouteFactory factory) {
		this.beans = beans;
		this.factory = factory;
	}

	/**
	 * Find the jobs among the beans of an application.
	 * @param beanFactory where the beans are
	 * @param environment resolves placeholders
	 * @param codec writes and reads arguments
	 * @param defaults the rule for jobs without {@code @RetryWith}
	 * @return the routes, empty if there are no jobs
	 */
	public static Routes of(ConfigurableListableBeanFactory beanFactory, Environment environment, ArgsCodec codec,
			RetryDefaults defaults) {
		return new Routes(new JobBeans(beanFactory),
				new RouteFactory(beanFactory, new Texts(environment), codec, defaults));
	}

	/**
	 * Find the job of a name.
	 * @param name a name or an alias
	 * @return the route, or {@code null} if this application does not have it
	 */
	public @Nullable Route find(String name) {
		return index().byName().get(name);
	}

	/**
	 * The name under which a job is known now.
	 * @param name a name or an alias
	 * @return the name, or {@code null} if this application does not have it
	 */
	public @Nullable String nameOf(String name) {
		Route route = find(name);
		return (route != null) ? route.name() : null;
	}

	/**
	 * Find the job of a class.
	 * @param job the class annotated with {@code @Job}, a proxy's class, or an interface
	 * or a superclass that only one job has
	 * @return the route
	 * @throws JobDispatchException if there is none, or more than one
	 */
	public Route require(Class<?> job) {
		Route route = index().byClass().get(job);
		return (route != null) ? route : search(job);
	}

	/**
	 * The names of all rows that can be run here.
	 * @return names and aliases
	 */
	public Set<String> names() {
		return index().byName().keySet();
	}

	/**
	 * All jobs.
	 * @return the routes
	 */
	public Collection<Route> all() {
		return index().byClass().values();
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.beans.createHidden();
		Index all = discover();
		this.index = all;
		this.beans.refuseHalfJobs();
		all.byClass().values().forEach(Route::prepare);
	}

	private Index index() {
		Index known = this.index;
		if (known == null) {
			synchronized (this) {
				known = this.index;
				if (known == null) {
					known = discover();
					this.index = known;
				}
			}
		}
		return known;
	}

	private Collection<Route> known() {
		Index known = this.index;
		return (known != null) ? known.byClass().values() : List.of();
	}

	private Route search(Class<?> job) {
		Class<?> userClass = ClassUtils.getUserClass(job);
		List<Route> found = new ArrayList<>();
		for (Route route : all()) {
			if (route.jobClass() == userClass) {
				return route;
			}
			if (job.isAssignableFrom(route.jobClass()) && !isOfAnyJob(job)) {
				found.add(route);
			}
		}
		if (found.size() == 1) {
			return found.get(0);
		}
		if (found.isEmpty()) {
			throw new JobDispatchException("The class " + job.getName() + " is not a job of this application: no "
					+ "bean of it is annotated with @Job. To dispatch without the handler, use the name of the job.");
		}
		throw new JobDispatchException(
				"The class " + job.getName() + " does not say which job is meant: " + found + ".");
	}

	/** Types that say nothing about the job, even where there is only one. */
	private static boolean isOfAnyJob(Class<?> type) {
		return type == Object.class || type == JobHandler.class;
	}

	private Index discover() {
		Collection<Route> known = known();
		List<Route> routes = new ArrayList<>(known);
		this.beans.forEach((bean) -> {
			if (known.stream().noneMatch((route) -> route.beanName().equals(bean.name()))) {
				routes.add(this.factory.create(bean));
			}
		});
		return Index.of(routes);
	}

	private record Index(Map<Class<?>, Route> byClass, Map<String, Route> byName) {

		static Index of(Collection<Route> routes) {
			Map<Class<?>, Route> byClass = new LinkedHashMap<>();
			Map<String, Route> byName = new LinkedHashMap<>();
			for (Route route : routes) {
				route.names().forEach((name) -> add(byName, name, route));
				byClass.put(route.jobClass(), route);
			}
			return new Index(Collections.unmodifiableMap(byClass), Collections.unmodifiableMap(byName));
		}

		private static void add(Map<String, Route> byName, String name, Route route) {
			Route other = byName.putIfAbsent(name, route);
			if (other != null) {
				throw new InvalidJobException(
						"Two jobs have the name '%s': %s and %s.".formatted(name, describe(other), describe(route)),
						"Give one of them another name with @Job(name = \"…\"), or remove the alias. If they are two "
								+ "beans of one class, keep one of them.");
			}
		}

		private static String describe(Route route) {
			return "the bean '" + route.beanName() + "' (" + route.jobClass().getName() + ")";
		}

	}

}
