package io.gator.leads.lead;

import java.util.List;

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

	LeadController(Leads leads) {
		this.leads = leads;
	}

	@GetMapping
	List<Lead> best() {
		return this.leads.best(20);
	}

	@GetMapping("/{id}")
	LeadDetails details(@PathVariable long id) {
		return this.leads.find(id)
			.map((lead) -> new LeadDetails(lead, this.leads.notes(id)))
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No lead " + id));
	}

	record LeadDetails(Lead lead, List<String> notes) {

	}

}
