package io.gator.leads.register;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.springframework.stereotype.Component;

/**
 * Stands in for the register of companies: about one in twenty questions finds it busy
 * the first time, and there are companies that it does not know.
 */
@Component
class CompanyRegister {

	private static final Duration BUSY = Duration.ofSeconds(1);

	private final Set<String> askedBefore = ConcurrentHashMap.newKeySet();

	String find(String company) {
		int hash = Math.floorMod(company.hashCode(), 10_000);
		if (hash % 20 == 0 && this.askedBefore.add(company)) {
			throw new RegisterBusyException(BUSY);
		}
		if (company.endsWith(" (in formation)")) {
			throw new UnknownCompanyException();
		}
		return "C%05d".formatted(hash);
	}

}
