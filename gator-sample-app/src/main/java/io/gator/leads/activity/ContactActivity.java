package io.gator.leads.activity;

import java.time.Instant;

/**
 * Something that was done about a lead.
 *
 * @param id the id
 * @param leadId the id of the lead
 * @param kind what was done
 * @param at when
 */
public record ContactActivity(long id, long leadId, String kind, Instant at) {

}
