/**
 * From annotated beans to routes, and from arguments to JSON and back.
 * <p>
 * {@link io.gator.routing.Routes} finds the beans annotated with {@link io.gator.Job} by
 * their types and checks everything that can be checked at start-up; nothing is
 * instantiated for it, because handlers inject the very template that needs the routes. A
 * {@link io.gator.routing.Route} fetches its bean at the first call, or when all
 * singletons exist. {@link io.gator.routing.ArgsCodec} writes what is dispatched and
 * reads it for the handler, by the types of the handler's parameters: a row never chooses
 * a class.
 * <p>
 * Invariants, each with a test that fails otherwise:
 * <ul>
 * <li>A mistake in an annotation or a signature fails start-up with an
 * {@link io.gator.routing.InvalidJobException} that names the culprits and the
 * remedy.</li>
 * <li>A proxied bean is called through its proxy, or start-up fails.</li>
 * <li>Arguments that were encoded for a route can be decoded for it.</li>
 * <li>No message and no cause of an exception of this package holds a value of an
 * argument.</li>
 * </ul>
 */
@NullMarked
package io.gator.routing;

import org.jspecify.annotations.NullMarked;
