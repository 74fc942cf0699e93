package io.gator.routing;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods of a class as a caller of a bean sees them.
 */
final class Methods {

	private Methods() {
	}

	/**
	 * Find methods, declared or inherited. Overridden methods, methods that the compiler
	 * made, and those of a superclass that the class cannot access are left out.
	 * @param type the class
	 * @param filter what to look for
	 * @return the methods
	 */
	static List<Method> find(Class<?> type, Predicate<Method> filter) {
		return Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
			// A public class has bridge methods also for methods that it inherits from a
			// class that is not public.
			.map((method) -> method.isBridge() ? BridgeMethodResolver.findBridgedMethod(method) : method)
			.distinct()
			.filter((method) -> !method.isBridge() && !method.isSynthetic() && isMember(method, type))
			.filter(filter)
			.toList();
	}

	static boolean declares(Class<?> type, Method method) {
		Method found = ReflectionUtils.findMethod(type, method.getName(), method.getParameterTypes());
		return found != null && found.getDeclaringClass() == type;
	}

	static String describe(Method method) {
		return method.getName() + Arrays.stream(method.getGenericParameterTypes())
			.map(Methods::shortName)
			.collect(Collectors.joining(", ", "(", ")"));
	}

	private static String shortName(java.lang.reflect.Type type) {
		return (type instanceof Class<?> raw) ? ClassUtils.getShortName(raw) : type.getTypeName();
	}

	private static boolean isMember(Method method, Class<?> type) {
		if (method.getDeclaringClass() == type) {
			return true;
		}
		int modifiers = method.getModifiers();
		return !Modifier.isPrivate(modifiers) && !Modifier.isAbstract(modifiers) && (Modifier.isPublic(modifiers)
				|| Modifier.isProtected(modifiers) || method.getDeclaringClass().getPackage() == type.getPackage());
	}

}
