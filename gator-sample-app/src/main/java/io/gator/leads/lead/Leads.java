package io.gator.leads.lead;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;
import org.springframework.jdbc.core.namedparam.SqlParameterSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;
import org.springframework.transaction.annotation.Transactional;

/**
 * The leads on record.
 */
@Repository
public class Leads {

	private static final String INSERT = """
			insert into lead (import_id, name, email, company, country, employees, budget, opt_in, payment_days)
			values (:importId, :name, :email, :company, :country, :employees, :budget, :optIn, :paymentDays)""";

	private final JdbcClient jdbc;

	private final NamedParameterJdbcTemplate batch;

	Leads(JdbcClient jdbc, NamedParameterJdbcTemplate batch) {
		this.jdbc = jdbc;
		this.batch = batch;
	}

	/**
	 * Record leads.
	 * @param leads the leads
	 * @param importId the import that brought them, or {@code null}
	 * @return the leads on record, in the same order
	 */
	public List<Lead> addAll(List<NewLead> leads, @Nullable Long importId) {
		SqlParameterSource[] rows = leads.stream()
			.map((lead) -> parameters(lead, importId))
			.toArray(SqlParameterSource[]::new);
		GeneratedKeyHolder keys = new GeneratedKeyHolder();
		this.batch.batchUpdate(INSERT, rows, keys, new String[] { "id" });
		return IntStream.range(0, leads.size()).mapToObj((row) -> Lead.of(id(keys, row), leads.get(row))).toList();
	}

	private static long id(KeyHolder keys, int row) {
		return ((Number) keys.getKeyList().get(row).values().iterator().next()).longValue();
	}

	private static SqlParameterSource parameters(NewLead lead, @Nullable Long importId) {
		return new MapSqlParameterSource("importId", importId).addValue("name", lead.name())
			.addValue("email", lead.email())
			.addValue("company", lead.company())
			.addValue("country", lead.country())
			.addValue("employees", lead.employees())
			.addValue("budget", lead.budget())
			.addValue("optIn", lead.optIn())
			.addValue("paymentDays", lead.paymentDays());
	}

	public Optional<Lead> find(long id) {
		return this.jdbc.sql("select * from lead where id = ?").param(id).query(Lead.class).optional();
	}

	/**
	 * The most promising leads.
	 * @param limit how many
	 * @return ranked leads, the first one first
	 */
	public List<Lead> best(int limit) {
		return this.jdbc.sql("select * from lead where rank is not null order by rank, id limit ?")
			.param(limit)
			.query(Lead.class)
			.list();
	}

	public void score(long id, int score) {
		this.jdbc.sql("update lead set score = ? where id = ?").params(score, id).update();
	}

	public void register(long id, String registerId) {
		this.jdbc.sql("update lead set register_id = ? where id = ?").params(registerId, id).update();
	}

	public void openAccount(long id, String account) {
		this.jdbc.sql("update lead set account = ? where id = ?").params(account, id).update();
	}

	/**
	 * Note that mail does not reach a lead.
	 * @param id the id of the lead
	 * @param reason what the mail server said
	 */
	public void markUnreachable(long id, String reason) {
		this.jdbc.sql("update lead set unreachable = ? where id = ?").params(reason, id).update();
	}

	/**
	 * Put the leads in order by their score, one caller after the other: two at once
	 * would lock the leads in different orders, and one of them would end in a deadlock.
	 * @return how many have one
	 */
	@Transactional
	public int rank() {
		this.jdbc.sql("select pg_advisory_xact_lock(hashtext('leads.rank'))").query((row) -> {
		});
		return this.jdbc.sql("""
				update lead set rank = ranked.rank
				  from (select id, rank() over (order by score desc) as rank from lead where score is not null) ranked
				 where lead.id = ranked.id""").update();
	}

}
