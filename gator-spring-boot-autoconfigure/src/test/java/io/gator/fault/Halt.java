package io.gator.fault;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;

import io.gator.store.GatorStores;
import io.gator.store.JobStore;
import io.gator.store.WorkerStore;

/**
 * Ends a process at a named step: {@code settle:before:5} is just before the fifth
 * settlement is sent, {@code claim:after:3} just after the third claim was committed.
 */
final class Halt {

	private Halt() {
	}

	static void at(String step, GatorStores stores) {
		if (step == null) {
			return;
		}
		String[] parts = step.split(":");
		boolean before = parts[1].equals("before");
		AtomicInteger left = new AtomicInteger(Integer.parseInt(parts[2]));
		Internals.set(stores, "jobs", around(JobStore.class, stores.jobs(), parts[0], before, left));
		Internals.set(stores, "workers", around(WorkerStore.class, stores.workers(), parts[0], before, left));
	}

	private static <T> T around(Class<T> type, T target, String step, boolean before, AtomicInteger left) {
		return type
			.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, args) -> {
				boolean counts = method.getName().equals(step);
				if (counts && before && left.decrementAndGet() == 0) {
					Runtime.getRuntime().halt(77);
				}
				try {
					Object answer = method.invoke(target, args);
					boolean empty = answer instanceof java.util.List<?> list && list.isEmpty();
					if (counts && !before && !empty && left.decrementAndGet() == 0) {
						Runtime.getRuntime().halt(77);
					}
					return answer;
				}
				catch (InvocationTargetException ex) {
					throw ex.getCause();
				}
			}));
	}

}
