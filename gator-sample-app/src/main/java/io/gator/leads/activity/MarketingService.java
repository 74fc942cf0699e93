package io.gator.leads.activity;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.springframework.stereotype.Component;

/**
 * Stands in for a marketing service. It takes a thousand activities a request, is down at
 * every fourth one, and has something against one lead in five hundred.
 */
@Component
class MarketingService {

	static final int MAX_ITEMS = 1000;

	private final AtomicInteger requests = new AtomicInteger();

	private final AtomicLong received = new AtomicLong();

	/**
	 * Takes all but those that it returns.
	 * @param activities a thousand at most
	 * @return those that were refused
	 * @throws MarketingDownException if the service is down; none was taken then
	 */
	List<ContactActivity> send(List<ContactActivity> activities) {
		if (activities.size() > MAX_ITEMS) {
			throw new IllegalArgumentException(activities.size() + " activities in one request");
		}
		if (this.requests.incrementAndGet() % 4 == 0) {
			throw new MarketingDownException();
		}
		List<ContactActivity> refused = activities.stream().filter(MarketingService::isRefused).toList();
		this.received.addAndGet(activities.size() - refused.size());
		return refused;
	}

	int requests() {
		return this.requests.get();
	}

	long received() {
		return this.received.get();
	}

	private static boolean isRefused(ContactActivity activity) {
		return activity.leadId() % 500 == 13;
	}

}
