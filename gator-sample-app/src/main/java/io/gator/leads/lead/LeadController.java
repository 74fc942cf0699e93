package io.gator.leads.lead;

import java.util.List;

import io.gator.leads.activity.Activities;

import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/leads")
class LeadController {

	private final Leads leads;

	private final Activities activities;

	LeadController(Leads leads, Activities activities) {
		this.leads = leads;
		this.activities = activities;
	}

	@GetMapping
	List<Lead> best() {
		return this.leads.best(20);
	}

	@GetMapping("/{id}")
	LeadDetails details(@PathVariable long id) {
		return this.leads.find(id)
			.map((lead) -> new LeadDetails(lead, this.activities.of(id)))
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No lead " + id));
	}

	record LeadDetails(Lead lead, List<String> activities) {

	}

}
