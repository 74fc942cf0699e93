package io.gator.routing;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The methods of a class as a caller of a bean sees them.
 */
final class Methods {

	private Methods() {
	}

	/**
	 * Find methods, declared or inherited. Overridden methods, those that the compiler
	 * made, and what a superclass keeps to itself are left out.
	 * @param type the class
	 * @param filter what to look for
	 * @return the methods
	 */
	static List<Method> find(Class<?> type, Predicate<Method> filter) {
		List<Method> found = new ArrayList<>();
		for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
			if (!method.isBridge() && !method.isSynthetic() && isMember(method, type) && filter.test(method)) {
				found.add(method);
			}
		}
		return found;
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
