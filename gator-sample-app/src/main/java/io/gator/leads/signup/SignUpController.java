package io.gator.leads.signup;

import java.net.URI;

import io.gator.leads.lead.Lead;

import org.springframework.dao.DuplicateKeyException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/signups")
class SignUpController {

	private final SignUpService service;

	SignUpController(SignUpService service) {
		this.service = service;
	}

	@PostMapping
	ResponseEntity<Lead> signUp(@RequestBody SignUp signUp) {
		Lead lead = this.service.signUp(signUp);
		return ResponseEntity.created(URI.create("/leads/" + lead.id())).body(lead);
	}

	@ExceptionHandler
	ProblemDetail handle(IllegalArgumentException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler
	ProblemDetail handle(NoPlaceLeftException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(ex.getMessage()));
	}

	@ExceptionHandler
	ProblemDetail handle(DuplicateKeyException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, "This address has signed up already");
	}

}
