package io.gator.leads.register;

/**
 * Which company a lead works for.
 *
 * @param leadId the id of the lead
 * @param company the name of the company
 */
public record CompanyQuestion(long leadId, String company) {

}
