package io.gator.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives the test class an empty database of its own: a {@link DatabaseHandle} parameter
 * of its constructor or methods. It is the same for all tests of the class and is dropped
 * after them.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(FreshDatabaseExtension.class)
public @interface FreshDatabase {

}
