package io.gator.routing;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import io.gator.JobContext;
import io.gator.OnDead;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

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
					"Leave one of them.");
		}
		Method method = found.get(0);
		if (Modifier.isStatic(method.getModifiers())) {
			throw new InvalidJobException("The method %s of the job %s, annotated with @OnDead, is static."
				.formatted(Methods.describe(method), bean), "Make it a method of the bean.");
		}
		List<Parameter> available = buffered ? List.of(items(codec, handler)) : handler.parameters();
		return new Call(bean, method, sources(bean, codec, method, available), available.size());
	}

	private static Parameter items(ArgsCodec codec, Handler handler) {
		return new Parameter(null, codec.listOf(handler.parameters().get(0).type()));
	}

	private static int[] sources(JobBean bean, ArgsCodec codec, Method method, List<Parameter> available) {
		List<Integer> taken = new ArrayList<>();
		for (java.lang.reflect.Parameter each : method.getParameters()) {
			if (each.getType() == JobContext.class) {
				taken.add(Call.CONTEXT);
			}
			else if (each.getType() == Throwable.class) {
				taken.add(Call.ERROR);
			}
			else {
				JavaType type = Handler.type(bean, codec, each.getParameterizedType());
				taken.add(source(bean, method, each, type, available, taken));
			}
		}
		return taken.stream().mapToInt(Integer::intValue).toArray();
	}

	// By name and type where both fit, otherwise the first of the type that is left.
	private static int source(JobBean bean, Method method, java.lang.reflect.Parameter parameter, JavaType type,
			List<Parameter> available, List<Integer> taken) {
		int first = -1;
		for (int i = 0; i < available.size(); i++) {
			if (taken.contains(i) || !available.get(i).type().equals(type)) {
				continue;
			}
			if (parameter.isNamePresent() && parameter.getName().equals(available.get(i).name())) {
				return i;
			}
			first = (first < 0) ? i : first;
		}
		if (first < 0) {
			throw new InvalidJobException(
					"The method %s of the job %s, annotated with @OnDead, takes %s, which there is nothing to give for."
						.formatted(Methods.describe(method), bean, type.toCanonical()),
					REMEDY);
		}
		return first;
	}

}
