package io.gator.store;

import java.sql.Connection;
import java.sql.PreparedStatement;

import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Puts into a native image what is found by name or made at run time: the migrations and
 * their connections, the sockets of the engine's connections, and its statements behind a
 * pooler.
 */
class StoreHints implements RuntimeHintsRegistrar {

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/gator/migration/*.sql");
		hints.proxies().registerJdkProxy(Connection.class);
		hints.proxies().registerJdkProxy(PreparedStatement.class);
		hints.reflection().registerType(PromptSocketFactory.class, MemberCategory.INVOKE_PUBLIC_CONSTRUCTORS);
	}

}
