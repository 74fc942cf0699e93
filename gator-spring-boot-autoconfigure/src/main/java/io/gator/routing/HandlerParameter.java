package io.gator.routing;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JavaType;

/**
 * An argument of a job as its handler declares it.
 *
 * @param name the name, if the class was compiled with names
 * @param type the type, with its generics resolved
 */
record HandlerParameter(@Nullable String name, JavaType type) {

}
