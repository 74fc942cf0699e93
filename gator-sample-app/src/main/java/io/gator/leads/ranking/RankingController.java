package io.gator.leads.ranking;

import java.net.URI;

import io.gator.JobAdmin;
import io.gator.JobInfo;
import io.gator.JobState;
import io.gator.JobTemplate;
import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Has the leads put in order, and tells how far that is.
 */
@RestController
@RequestMapping("/rankings")
class RankingController {

	private final JobTemplate jobs;

	private final JobAdmin admin;

	RankingController(JobTemplate jobs, JobAdmin admin) {
		this.jobs = jobs;
		this.admin = admin;
	}

	@PostMapping
	ResponseEntity<Void> request() {
		long id = this.jobs.dispatch(RankLeads.class);
		return ResponseEntity.accepted().location(URI.create("/rankings/" + id)).build();
	}

	@GetMapping("/{id}")
	Ranking find(@PathVariable long id) {
		return this.admin.find(id)
			.filter((job) -> job.name().equals(RankLeads.NAME))
			.map(Ranking::of)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No ranking " + id));
	}

	record Ranking(JobState state, @Nullable Integer leads) {

		static Ranking of(JobInfo job) {
			return new Ranking(job.state(), job.result(Integer.class).orElse(null));
		}

	}

}
