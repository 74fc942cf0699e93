package io.gator.leads.imports;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVPrinter;

/**
 * Makes up the shipped {@code leads.csv}, always the same one.
 */
final class LeadFileGenerator {

	private static final int LEADS = 5000;

	private static final List<String> GIVEN = List.of("Ada", "Agnès", "Amir", "Anke", "Beatriz", "Björn", "Carla",
			"Chloé", "Dmitri", "Edith", "Emre", "Fatima", "Felix", "Giulia", "Grace", "Hana", "Hugo", "Ines", "Ivan",
			"Jamal", "Joana", "Jürgen", "Karim", "Katja", "Lars", "Leila", "Luc", "Malika", "Marek", "Mei", "Nadia",
			"Nils", "Noor", "Olga", "Oskar", "Paula", "Pierre", "Priya", "Rosa", "Samir", "Sofia", "Søren", "Tariq",
			"Theo", "Uma", "Vera", "Wim", "Yara", "Zoë", "Zygmunt");

	private static final List<String> FAMILY = List.of("Adler", "Almeida", "Bauer", "Bernard", "Castillo", "Choi",
			"Dubois", "Eriksen", "Fischer", "Fontaine", "García", "Haddad", "Hansen", "Hoffmann", "Ivanova", "Jansen",
			"Kaya", "Keller", "Kowalski", "Kumar", "Lambert", "Lindqvist", "Marchetti", "Martin", "Meyer", "Moreau",
			"Müller", "Nakamura", "Novák", "O'Brien", "Okafor", "Olsen", "Petit", "Popescu", "Quintana", "Rossi",
			"Sánchez", "Schmidt", "Silva", "Smith", "Sørensen", "Tanaka", "Turner", "Vidal", "Virtanen", "Wagner",
			"Weber", "Wright", "Yilmaz", "Zhang");

	private static final List<String> FIRM = List.of("Alder", "Birch", "Cedar", "Delta", "Ember", "Falcon", "Garnet",
			"Harbour", "Indigo", "Juniper", "Kestrel", "Linden", "Meridian", "Nimbus", "Orchard", "Pioneer", "Quarry",
			"Riverside", "Summit", "Tundra", "Umber", "Vantage", "Willow", "Yarrow", "Zephyr");

	private static final List<String> TRADE = List.of("Logistics", "Foods", "Instruments", "Textiles", "Software",
			"Energy", "Print, Paper & Co", "Dental", "Travel", "Timber", "Media", "Tools");

	private static final List<String> COUNTRIES = List.of("AT", "CH", "DE", "DE", "DE", "DK", "ES", "FR", "FR", "FR",
			"GB", "GB", "IE", "IT", "NL", "PL", "PT", "SE", "US", "US");

	private final Random random = new Random(20260101);

	private final Set<String> addresses = new HashSet<>();

	private LeadFileGenerator() {
	}

	/**
	 * Write the file.
	 * @param args the path
	 * @throws IOException if that is not possible
	 */
	public static void main(String[] args) throws IOException {
		Files.writeString(Path.of(args[0]), generate(), StandardCharsets.UTF_8);
	}

	static String generate() throws IOException {
		return new LeadFileGenerator().file();
	}

	private String file() throws IOException {
		StringBuilder text = new StringBuilder();
		CSVFormat format = CSVFormat.RFC4180.builder()
			.setRecordSeparator('\n')
			.setHeader("name", "email", "company", "country", "employees", "budget", "opt_in", "payment_days")
			.get();
		try (CSVPrinter lines = new CSVPrinter(text, format)) {
			for (int number = 1; number <= LEADS; number++) {
				print(lines, number);
			}
		}
		return text.toString();
	}

	private void print(CSVPrinter lines, int number) throws IOException {
		String given = any(GIVEN);
		String family = any(FAMILY);
		String firm = any(FIRM);
		String trade = any(TRADE);
		boolean refused = number % 100 == 7;
		String domain = refused ? refusing(number) : ascii(firm + "-" + trade.split("[, ]")[0]) + ".example";
		int employees = (int) Math.exp(this.random.nextGaussian() * 1.6 + 3.2);
		String company = firm + " " + trade + ((number % 500 == 250) ? " (in formation)" : "");
		lines.printRecord(given + " " + family, address(given, family, domain), company, any(COUNTRIES),
				(number % 500 == 250) ? 300 : employees, this.random.nextInt(120),
				(refused || this.random.nextInt(100) < 40) ? "yes" : "no", refused ? null : paymentDays());
	}

	private String refusing(int number) {
		return switch (number / 100 % 10) {
			case 3, 8 -> "gone.example";
			case 5 -> "full.example";
			default -> "slow.example";
		};
	}

	private Integer paymentDays() {
		int dice = this.random.nextInt(100);
		return (dice < 3) ? Integer.valueOf(0) : (dice < 15) ? any(List.of(14, 30, 60)) : null;
	}

	private String address(String given, String family, String domain) {
		String local = ascii(given) + "." + ascii(family);
		String address = local + "@" + domain;
		for (int n = 2; !this.addresses.add(address); n++) {
			address = local + n + "@" + domain;
		}
		return address;
	}

	private <T> T any(List<T> list) {
		return list.get(this.random.nextInt(list.size()));
	}

	private static String ascii(String text) {
		return Normalizer.normalize(text.replace("ø", "o").replace("Ø", "O"), Normalizer.Form.NFD)
			.toLowerCase(Locale.ROOT)
			.replaceAll("[^a-z0-9-]", "");
	}

}
