package io.gator.leads.imports;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

import io.gator.leads.lead.NewLead;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;
import org.apache.commons.csv.DuplicateHeaderMode;
import org.jspecify.annotations.Nullable;

/**
 * What a CSV file says. Its first line names the columns, in any order; columns with
 * other names are ignored. A lead is a line, so a stray quote spoils that line only and
 * not the rest of the file.
 *
 * @param leads the leads of the good lines
 * @param malformed the other lines
 */
record LeadFile(List<NewLead> leads, List<MalformedLine> malformed) {

	private static final Set<String> REQUIRED = Set.of("name", "email");

	private static final CSVFormat LINE = CSVFormat.RFC4180.builder()
		.setTrim(true)
		.setIgnoreSurroundingSpaces(true)
		.setDuplicateHeaderMode(DuplicateHeaderMode.ALLOW_EMPTY)
		.get();

	static LeadFile read(Reader csv) throws IOException {
		BufferedReader lines = new BufferedReader(csv);
		CSVFormat format = header(lines.readLine());
		List<NewLead> leads = new ArrayList<>();
		List<MalformedLine> malformed = new ArrayList<>();
		Map<String, Integer> lineOfAddress = new HashMap<>();
		int number = 1;
		for (String line = lines.readLine(); line != null; line = lines.readLine()) {
			number++;
			if (line.isBlank()) {
				continue;
			}
			try {
				NewLead lead = lead(parse(line, format));
				Integer before = lineOfAddress.putIfAbsent(lead.email(), number);
				if (before != null) {
					throw new IllegalArgumentException("the e-mail address is the one of line " + before);
				}
				leads.add(lead);
			}
			catch (IllegalArgumentException ex) {
				malformed.add(new MalformedLine(number, String.valueOf(ex.getMessage())));
			}
		}
		return new LeadFile(List.copyOf(leads), List.copyOf(malformed));
	}

	private static CSVFormat header(@Nullable String line) {
		if (line == null) {
			throw new LeadFileException("The file is empty");
		}
		String withoutByteOrderMark = line.startsWith("\uFEFF") ? line.substring(1) : line;
		try {
			String[] columns = parse(withoutByteOrderMark, LINE).stream()
				.map((column) -> column.toLowerCase(Locale.ROOT))
				.toArray(String[]::new);
			if (!List.of(columns).containsAll(REQUIRED)) {
				throw new LeadFileException("The first line must name the columns, 'name' and 'email' among them");
			}
			return LINE.builder().setHeader(columns).get();
		}
		catch (IllegalArgumentException ex) {
			throw new LeadFileException("The first line must name the columns: " + ex.getMessage());
		}
	}

	private static CSVRecord parse(String line, CSVFormat format) {
		try (CSVParser parser = CSVParser.parse(line, format)) {
			return parser.iterator().next();
		}
		catch (IOException | RuntimeException ex) {
			throw new IllegalArgumentException("the quotes do not match", ex);
		}
	}

	private static NewLead lead(CSVRecord line) {
		if (!line.isConsistent()) {
			throw new IllegalArgumentException(
					"it has %d values for %d columns".formatted(line.size(), line.getParser().getHeaderNames().size()));
		}
		return new NewLead(text(line, "name", ""), text(line, "email", ""), optional(line, "company"),
				optional(line, "country"), number(text(line, "employees", "0"), "employees"),
				number(text(line, "budget", "0"), "budget"), yesOrNo(text(line, "opt_in", "no")), paymentDays(line));
	}

	private static @Nullable Integer paymentDays(CSVRecord line) {
		String days = optional(line, "payment_days");
		return (days != null) ? number(days, "payment_days") : null;
	}

	private static String text(CSVRecord line, String column, String otherwise) {
		String value = optional(line, column);
		return (value != null) ? value : otherwise;
	}

	private static @Nullable String optional(CSVRecord line, String column) {
		return (line.isMapped(column) && !line.get(column).isEmpty()) ? line.get(column) : null;
	}

	private static int number(String value, String column) {
		try {
			return Integer.parseInt(value);
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException(column + " is not a whole number", ex);
		}
	}

	private static boolean yesOrNo(String value) {
		return switch (value.toLowerCase(Locale.ROOT)) {
			case "yes", "true" -> true;
			case "no", "false" -> false;
			default -> throw new IllegalArgumentException("opt_in is neither yes nor no");
		};
	}

}
