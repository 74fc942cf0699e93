package io.gator.routing;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

import io.gator.JobBatch;
import io.gator.JobContext;
import tools.jackson.databind.JavaType;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.scheduling.annotation.Async;

/**
 * The method {@code handle} of a job.
 *
 * @param call the prepared call
 * @param parameters what a dispatch has to give; for a buffered job the item
 * @param takesBatch whether a {@link JobBatch} is taken
 * @param returnType what is returned
 */
record Handler(Call call, List<HandlerParameter> parameters, boolean takesBatch, JavaType returnType) {

	private static final String NAME = "handle";

	static Handler find(JobBean bean, ArgsCodec codec, boolean buffered) {
		Method method = method(bean);
		refuseAsync(bean, method);
		int[] sources = new int[method.getParameterCount()];
		List<HandlerParameter> parameters = new ArrayList<>();
		for (int i = 0; i < sources.length; i++) {
			Parameter each = method.getParameters()[i];
			if (each.getType() == JobContext.class) {
				sources[i] = Call.CONTEXT;
			}
			else {
				sources[i] = parameters.size();
				parameters.add(new HandlerParameter(each.isNamePresent() ? each.getName() : null,
						type(bean, codec, method, each.getParameterizedType())));
			}
		}
		refuseTwoContexts(bean, method, sources);
		JavaType returnType = type(bean, codec, method, method.getGenericReturnType());
		Call call = new Call(bean, method, sources, parameters.size());
		if (!buffered) {
			refuseBatch(bean, method, parameters);
			return new Handler(call, List.copyOf(parameters), false, returnType);
		}
		HandlerParameter items = items(bean, method, parameters);
		boolean takesBatch = items.type().hasRawClass(JobBatch.class);
		return new Handler(call, List.of(new HandlerParameter("item", items.type().containedTypeOrUnknown(0))),
				takesBatch, returnType);
	}

	/**
	 * Resolves a type by the declaration of the bean: nothing else resolves type
	 * variables that the class leaves open.
	 */
	static JavaType type(JobBean bean, ArgsCodec codec, Method method, Type type) {
		return codec.type(type, method.getDeclaringClass(), bean.declaredType());
	}

	private static Method method(JobBean bean) {
		List<Method> found = Methods.find(bean.type(), (method) -> method.getName().equals(NAME));
		if (found.isEmpty()) {
			throw new InvalidJobException("The job %s has no method named '%s'.".formatted(bean, NAME),
					"Add a method '%s' that takes the arguments of the job, or remove @Job.".formatted(NAME));
		}
		if (found.size() > 1) {
			throw new InvalidJobException(
					"The job %s has %d methods named '%s': %s.".formatted(bean, found.size(), NAME,
							found.stream().map(Methods::describe).sorted().collect(Collectors.joining(" and "))),
					"Keep only one of them, and rename the others.");
		}
		Method method = found.get(0);
		if (Modifier.isStatic(method.getModifiers())) {
			throw new InvalidJobException("The method '%s' of the job %s is static.".formatted(NAME, bean),
					"Make it an instance method of the bean.");
		}
		return method;
	}

	private static void refuseAsync(JobBean bean, Method method) {
		if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
				|| AnnotatedElementUtils.hasAnnotation(bean.type(), Async.class)) {
			throw new InvalidJobException(
					"The handler of the job %s is @Async: it would return before its work is done, and the job would "
						.formatted(bean) + "count as succeeded whatever comes of it.",
					"Remove @Async. Jobs run on threads of their own already.");
		}
		for (Class<?> each : method.getParameterTypes()) {
			if (each.getName().equals("kotlin.coroutines.Continuation")) {
				throw new InvalidJobException(
						"The handler of the job %s is a suspending function, which nothing would resume."
							.formatted(bean),
						"Remove 'suspend', and call what suspends in runBlocking.");
			}
		}
		Class<?> returned = method.getReturnType();
		if (Future.class.isAssignableFrom(returned) || CompletionStage.class.isAssignableFrom(returned)
				|| Flow.Publisher.class.isAssignableFrom(returned) || isReactive(returned)) {
			throw new InvalidJobException(
					"The handler of the job %s returns %s: the job would count as succeeded before its work is done."
						.formatted(bean, returned.getName()),
					"Wait for the outcome in the handler, and return the value or nothing.");
		}
	}

	private static boolean isReactive(Class<?> type) {
		if (type.getName().equals("org.reactivestreams.Publisher")) {
			return true;
		}
		for (Class<?> each : type.getInterfaces()) {
			if (isReactive(each)) {
				return true;
			}
		}
		return type.getSuperclass() != null && isReactive(type.getSuperclass());
	}

	private static void refuseTwoContexts(JobBean bean, Method method, int[] sources) {
		int contexts = 0;
		for (int source : sources) {
			contexts += (source == Call.CONTEXT) ? 1 : 0;
		}
		if (contexts > 1) {
			throw new InvalidJobException("The method %s of the job %s takes more than one JobContext."
				.formatted(Methods.describe(method), bean), "Keep only one of them.");
		}
	}

	private static void refuseBatch(JobBean bean, Method method, List<HandlerParameter> parameters) {
		for (HandlerParameter parameter : parameters) {
			if (parameter.type().hasRawClass(JobBatch.class)) {
				throw new InvalidJobException(
						"The method %s of the job %s takes a JobBatch, but the job is not buffered."
							.formatted(Methods.describe(method), bean),
						"Annotate the class with @Buffered, or take a single item.");
			}
		}
	}

	private static HandlerParameter items(JobBean bean, Method method, List<HandlerParameter> parameters) {
		if (parameters.size() == 1) {
			JavaType type = parameters.get(0).type();
			if (type.hasRawClass(List.class) || type.hasRawClass(JobBatch.class)) {
				return parameters.get(0);
			}
		}
		throw new InvalidJobException(
				"The job %s is @Buffered, but its method %s takes neither one List nor one JobBatch of items."
					.formatted(bean, Methods.describe(method)),
				"Let it be handle(List<E>) or handle(JobBatch<E>), where E is what a dispatch gives; "
						+ "or remove @Buffered.");
	}

}
