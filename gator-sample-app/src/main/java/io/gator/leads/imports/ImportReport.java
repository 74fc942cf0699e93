package io.gator.leads.imports;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import io.gator.leads.imports.WaitTimes.Percentiles;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * What became of the jobs since an import began, as text. The numbers come from the view
 * {@code gator_jobs}, so they hold however many processes did the work; the waits are
 * those of this process.
 */
@Component
class ImportReport {

	private static final int MAX_ADDRESSES = 20;

	private final JdbcClient jdbc;

	private final WaitTimes waits;

	private final UsefulUrls urls;

	ImportReport(JdbcClient jdbc, WaitTimes waits, UsefulUrls urls) {
		this.jdbc = jdbc;
		this.waits = waits;
		this.urls = urls;
	}

	String of(LeadImport done) {
		StringBuilder text = new StringBuilder();
		line(text, "");
		line(text, "%s: %,d leads imported, %,d lines malformed, through after %s", done.source(), done.imported(),
				done.malformed(), seconds(done.took()));
		line(text, "");
		appendJobs(text, done);
		appendLater(text, done);
		appendAddresses(text, done);
		appendUrls(text);
		return text.toString();
	}

	private void appendJobs(StringBuilder text, LeadImport done) {
		line(text, "%-10s %-20s %10s %10s %10s %12s %12s", "queue", "name", "succeeded", "retried", "dead",
				"median wait", "99% wait");
		for (Row row : rows(done)) {
			Optional<Percentiles> wait = this.waits.of(row.queue(), row.name());
			line(text, "%-10s %-20s %,10d %,10d %,10d %12s %12s", row.queue(), row.name(), row.succeeded(),
					row.retried(), row.dead(), seconds(wait.map(Percentiles::median)),
					seconds(wait.map(Percentiles::p99)));
		}
	}

	private List<Row> rows(LeadImport done) {
		return this.jdbc.sql("""
				select queue, name,
				       count(*) filter (where state = 'SUCCEEDED') as succeeded,
				       count(*) filter (where attempts > 1) as retried,
				       count(*) filter (where state = 'DEAD') as dead
				  from gator_jobs
				 where created_at >= (select started_at from lead_import where id = ?)
				   and state in ('SUCCEEDED', 'DEAD')
				 group by queue, name
				 order by queue, name""").param(done.id()).query(Row.class).list();
	}

	private void appendLater(StringBuilder text, LeadImport done) {
		List<Later> later = this.jdbc.sql("""
				select name, count(*) as count, min(due_at) as first
				  from gator_jobs
				 where created_at >= (select started_at from lead_import where id = ?)
				   and state = 'SCHEDULED'
				 group by name
				 order by name""").param(done.id()).query(Later.class).list();
		for (Later jobs : later) {
			line(text, "");
			line(text, "Scheduled for later: %,d %s, the first on %s", jobs.count(), jobs.name(),
					LocalDate.ofInstant(jobs.first(), ZoneOffset.UTC));
		}
	}

	private void appendAddresses(StringBuilder text, LeadImport done) {
		List<Address> addresses = this.jdbc.sql("""
				select email, unreachable as reason from lead
				 where import_id = ? and unreachable is not null
				 order by email""").param(done.id()).query(Address.class).list();
		line(text, "");
		line(text, addresses.isEmpty() ? "No address to look at." : "Addresses to look at:");
		addresses.stream()
			.limit(MAX_ADDRESSES)
			.forEach((address) -> line(text, "  %-42s %s", address.email(), address.reason()));
		if (addresses.size() > MAX_ADDRESSES) {
			line(text, "  and %,d more", addresses.size() - MAX_ADDRESSES);
		}
	}

	private void appendUrls(StringBuilder text) {
		Map<String, String> all = this.urls.all();
		if (!all.isEmpty()) {
			line(text, "");
			line(text, "Look at it:");
			all.forEach((address, content) -> line(text, "  %-62s %s", address, content));
		}
	}

	private static String seconds(Optional<Duration> duration) {
		return duration.map(ImportReport::seconds).orElse("-");
	}

	private static String seconds(Duration duration) {
		return String.format(Locale.ROOT, "%.3f s", duration.toMillis() / 1000.0);
	}

	private static void line(StringBuilder text, String format, Object... args) {
		text.append(String.format(Locale.ROOT, format, args).stripTrailing()).append(System.lineSeparator());
	}

	record Row(String queue, String name, long succeeded, long retried, long dead) {

	}

	record Later(String name, long count, Instant first) {

	}

	record Address(String email, String reason) {

	}

}
