package io.gator.routing;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;

import io.gator.JobContext;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;

/**
 * A prepared call of a method of a job's bean. The method handle is made for the class of
 * the bean at hand, so that a proxy is called as a proxy; nothing is looked up
 * afterwards.
 */
final class Call {

	/** The source of a parameter that takes the {@link JobContext}. */
	static final int CONTEXT = -1;

	/** The source of a parameter that takes the error. */
	static final int ERROR = -2;

	private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();

	private static final MethodType TYPE = MethodType.methodType(Object.class, Object.class, Object[].class);

	private final JobBean bean;

	private final Method method;

	private final int[] sources;

	private final boolean direct;

	private volatile @Nullable Target target;

	/**
	 * Prepare a call.
	 * @param bean the bean
	 * @param method the method of the bean's class
	 * @param sources for each parameter the position of its argument, {@link #CONTEXT} or
	 * {@link #ERROR}
	 * @param argCount the number of arguments that will be given
	 */
	Call(JobBean bean, Method method, int[] sources, int argCount) {
		this.bean = bean;
		this.method = method;
		this.sources = sources;
		this.direct = isIdentity(sources, argCount);
	}

	boolean isVoid() {
		return this.method.getReturnType() == void.class;
	}

	/**
	 * Whether the call needs any of the arguments that are given.
	 * @return {@code false} if it takes the error, the context or nothing
	 */
	boolean takesArguments() {
		return Arrays.stream(this.sources).anyMatch((source) -> source >= 0);
	}

	@Nullable Object invoke(@Nullable Object[] args, @Nullable Throwable error, JobContext context) throws Throwable {
		Object receiver = this.bean.get();
		MethodHandle handle = target(receiver).handle();
		@Nullable Object[] values = this.direct ? args : arrange(args, error, context);
		try {
			return (@Nullable Object) handle.invokeExact(receiver, values);
		}
		catch (UndeclaredThrowableException ex) {
			// A proxy met a checked exception that the interface does not declare.
			throw (AopUtils.isAopProxy(receiver) && ex.getCause() != null) ? ex.getCause() : ex;
		}
	}

	/**
	 * Look at the bean and prepare the call.
	 * @throws InvalidJobException if the bean is a proxy and the method cannot be called
	 * through it
	 */
	void prepare() {
		target(this.bean.get());
	}

	private @Nullable Object[] arrange(@Nullable Object[] args, @Nullable Throwable error, JobContext context) {
		@Nullable Object[] values = new @Nullable Object[this.sources.length];
		for (int i = 0; i < values.length; i++) {
			int source = this.sources[i];
			values[i] = (source == CONTEXT) ? context : (source == ERROR) ? error : args[source];
		}
		return values;
	}

	private Target target(Object receiver) {
		Target known = this.target;
		if (known == null || known.type() != receiver.getClass()) {
			known = new Target(receiver.getClass(), handle(select(receiver)));
			this.target = known;
		}
		return known;
	}

	private static MethodHandle handle(Method method) {
		try {
			method.setAccessible(true);
			MethodHandle handle = LOOKUP.unreflect(method).asFixedArity();
			return handle.asSpreader(Object[].class, method.getParameterCount()).asType(TYPE);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException("Cannot access " + Methods.describe(method), ex);
		}
	}

	private Method select(Object receiver) {
		Class<?> type = receiver.getClass();
		if (Proxy.isProxyClass(type)) {
			return interfaceMethod(type);
		}
		if (AopUtils.isCglibProxy(receiver) && !isOverridden(type)) {
			throw new InvalidJobException(
					"The %s is proxied, for @Transactional or another aspect, and its method %s cannot be called through the proxy: it is %s."
						.formatted(this.bean, Methods.describe(this.method), obstacle()),
					"Make the method neither private nor final, or move what the aspect is for to another bean.");
		}
		return this.method;
	}

	// A method that is not overridden would run on the proxy itself, with the proxy's
	// empty fields.
	private boolean isOverridden(Class<?> proxyClass) {
		for (Class<?> type = proxyClass; type != null && type != this.bean.type(); type = type.getSuperclass()) {
			if (Methods.declares(type, this.method)) {
				return true;
			}
		}
		return false;
	}

	private String obstacle() {
		int modifiers = this.method.getModifiers();
		if (Modifier.isPrivate(modifiers)) {
			return "private";
		}
		return Modifier.isFinal(modifiers) ? "final" : "not visible to the proxy, which is in another package";
	}

	private Method interfaceMethod(Class<?> proxyClass) {
		for (Class<?> type : proxyClass.getInterfaces()) {
			for (Method candidate : type.getMethods()) {
				if (candidate.getName().equals(this.method.getName())
						&& implementation(candidate).equals(this.method)) {
					return candidate;
				}
			}
		}
		throw new InvalidJobException(
				"The %s is behind a JDK proxy, whose interfaces do not have its method %s.".formatted(this.bean,
						Methods.describe(this.method)),
				"Proxy the class (spring.aop.proxy-target-class=true, which is Boot's default), or declare the method "
						+ "in an interface of the bean.");
	}

	private Method implementation(Method candidate) {
		return BridgeMethodResolver.findBridgedMethod(ClassUtils.getMostSpecificMethod(candidate, this.bean.type()));
	}

	private static boolean isIdentity(int[] sources, int argCount) {
		for (int i = 0; i < sources.length; i++) {
			if (sources[i] != i) {
				return false;
			}
		}
		return sources.length == argCount;
	}

	private record Target(Class<?> type, MethodHandle handle) {

	}

}
