package io.gator.routing;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.gator.JobContext;
import io.gator.OnDead;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Finds the method annotated with {@link OnDead}.
 */
final class OnDeadMethod {

	private static final String REMEDY = "Let it take the handler's arguments, a Throwable and a JobContext, or any of "
			+ "them; for a @Buffered job the List of the dead items.";

	private OnDeadMethod() {
	}

	static @Nullable Call find(JobBean bean, ArgsCodec codec, Handler handler, boolean buffered) {
		List<Method> found = Methods.find(bean.type(),
				(method) -> AnnotatedElementUtils.hasAnnotation(method, OnDead.class));
		if (found.isEmpty()) {
			return null;
		}
		if (found.size() > 1) {
			throw new InvalidJobException(
					"The job %s has %d methods annotated with @OnDead: %s.".formatted(bean, found.size(),
							found.stream().map(Methods::describe).sorted().collect(Collectors.joining(" and "))),
					"Keep only one of them.");
		}
		Method method = found.get(0);
		if (Modifier.isStatic(method.getModifiers())) {
			throw new InvalidJobException("The method %s of the job %s, annotated with @OnDead, is static."
				.formatted(Methods.describe(method), bean), "Make it an instance method of the bean.");
		}
		List<HandlerParameter> available = buffered ? List.of(items(codec, handler)) : handler.parameters();
		return new Call(bean, method, sources(bean, codec, method, available), available.size());
	}

	private static HandlerParameter items(ArgsCodec codec, Handler handler) {
		return new HandlerParameter(null, codec.listOf(handler.parameters().get(0).type()));
	}

	/**
	 * Find the source of each parameter. Names are matched before types: an argument that
	 * one parameter names must not be given to another parameter of the same type.
	 */
	private static int[] sources(JobBean bean, ArgsCodec codec, Method method, List<HandlerParameter> available) {
		List<HandlerParameter> wanted = new ArrayList<>();
		for (Parameter each : method.getParameters()) {
			wanted.add(new HandlerParameter(each.isNamePresent() ? each.getName() : null,
					Handler.type(bean, codec, method, each.getParameterizedType())));
		}
		List<Integer> left = new ArrayList<>();
		for (int i = 0; i < available.size(); i++) {
			if (available.get(i).name() == null || !wanted.contains(available.get(i))) {
				left.add(i);
			}
		}
		return wanted.stream().mapToInt((each) -> source(bean, method, each, available, left)).toArray();
	}

	private static int source(JobBean bean, Method method, HandlerParameter wanted, List<HandlerParameter> available,
			List<Integer> left) {
		if (wanted.type().hasRawClass(JobContext.class)) {
			return Call.CONTEXT;
		}
		if (wanted.type().hasRawClass(Throwable.class)) {
			return Call.ERROR;
		}
		if (wanted.name() != null && available.contains(wanted)) {
			return available.indexOf(wanted);
		}
		List<Integer> fitting = left.stream().filter((i) -> available.get(i).type().equals(wanted.type())).toList();
		if (fitting.isEmpty()) {
			throw new InvalidJobException(
					"The method %s of the job %s, annotated with @OnDead, takes %s, for which there is no value."
						.formatted(Methods.describe(method), bean, wanted.type().toCanonical()),
					REMEDY);
		}
		if (fitting.size() > 1 && wanted.name() != null
				&& fitting.stream().noneMatch((i) -> available.get(i).name() == null)) {
			throw new InvalidJobException(
					("The method %s of the job %s, annotated with @OnDead, takes '%s', but the handler's arguments of "
							+ "that type are %s.")
						.formatted(Methods.describe(method), bean, wanted.name(),
								fitting.stream()
									.map((i) -> "'" + available.get(i).name() + "'")
									.collect(Collectors.joining(" and "))),
					"Give the parameter the name of the argument that is meant.");
		}
		left.remove(fitting.get(0));
		return fitting.get(0);
	}

}
