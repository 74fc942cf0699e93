/**
 * The PostgreSQL that tests run on: one server for a JVM, a fresh database for whoever
 * asks. Also packed as the {@code tests} archive of this module for the tests of others.
 */
package io.gator.test;
