package io.gator.leads.imports;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;

import io.gator.leads.imports.LeadImporter.Outcome;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.multipart.MultipartFile;
import org.springframework.web.server.ResponseStatusException;

/**
 * Takes in files over the web, as the body of the request or as the part {@code file} of
 * a form.
 */
@RestController
@RequestMapping("/imports")
class ImportController {

	private final LeadImporter importer;

	private final LeadImports imports;

	ImportController(LeadImporter importer, LeadImports imports) {
		this.importer = importer;
		this.imports = imports;
	}

	@PostMapping
	ResponseEntity<Outcome> takeBody(InputStream body) throws IOException {
		return take("request", body);
	}

	@PostMapping(consumes = MediaType.MULTIPART_FORM_DATA_VALUE)
	ResponseEntity<Outcome> takePart(@RequestParam MultipartFile file) throws IOException {
		return take("form", file.getInputStream());
	}

	@GetMapping("/{id}")
	LeadImport find(@PathVariable long id) {
		return this.imports.find(id)
			.orElseThrow(() -> new ResponseStatusException(HttpStatus.NOT_FOUND, "No import " + id));
	}

	@ExceptionHandler
	ProblemDetail handle(LeadFileException ex) {
		return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, String.valueOf(ex.getMessage()));
	}

	private ResponseEntity<Outcome> take(String source, InputStream csv) throws IOException {
		Outcome outcome = this.importer.take(source, new InputStreamReader(csv, StandardCharsets.UTF_8));
		return ResponseEntity.created(URI.create("/imports/" + outcome.id())).body(outcome);
	}

}
