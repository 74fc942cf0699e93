package io.gator.test;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Hands out the database of {@link FreshDatabase}; JUnit closes it with the class.
 */
class FreshDatabaseExtension implements ParameterResolver {

	private static final Namespace NAMESPACE = Namespace.create(FreshDatabaseExtension.class);

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == DatabaseHandle.class;
	}

	@Override
	public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return ofAnnotatedClass(context).getStore(NAMESPACE)
			.computeIfAbsent(DatabaseHandle.class, (key) -> TestDatabase.create(), DatabaseHandle.class);
	}

	// Whether a constructor, a test or a nested class asks: the annotated class is meant.
	private static ExtensionContext ofAnnotatedClass(ExtensionContext context) {
		ExtensionContext found = context;
		for (ExtensionContext at = context; at.getTestClass().isPresent(); at = at.getParent().orElseThrow()) {
			found = at;
			boolean isClass = at.getTestMethod().isEmpty()
					&& at.getElement().filter(Class.class::isInstance).isPresent();
			if (isClass && AnnotationSupport.isAnnotated(at.getRequiredTestClass(), FreshDatabase.class)) {
				return at;
			}
		}
		return found;
	}

}
