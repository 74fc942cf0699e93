package io.gator.leads.imports;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;

import io.gator.leads.lead.NewLead;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.io.ClassPathResource;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LeadFileTests {

	@Test
	void aLineIsALead() throws IOException {
		LeadFile file = read("""
				name,email,company,country,employees,budget,opt_in,payment_days
				Zoë Adler,Zoe@cedar.example,"Cedar Print, Paper & Co",DE,12,80,yes,14
				""");
		assertThat(file.malformed()).isEmpty();
		assertThat(file.leads()).containsExactly(
				new NewLead("Zoë Adler", "zoe@cedar.example", "Cedar Print, Paper & Co", "DE", 12, 80, true, 14));
	}

	@Test
	void columnsMayBeFewAndInAnyOrder() throws IOException {
		LeadFile file = read("EMAIL , shoe size, Name\nada@cedar.example,38,Ada\n");
		assertThat(file.leads())
			.containsExactly(new NewLead("Ada", "ada@cedar.example", null, null, 0, 0, false, null));
	}

	@Test
	void spreadsheetsOfWindowsCanBeRead() throws IOException {
		LeadFile file = read("\uFEFFname,email\r\nAda,ada@cedar.example\r\n\r\nBo,bo@cedar.example");
		assertThat(file.leads()).extracting(NewLead::name).containsExactly("Ada", "Bo");
	}

	@Test
	void malformedLinesAreReportedByNumberAndTheOthersTaken() throws IOException {
		LeadFile file = read(new ClassPathResource("malformed.csv").getContentAsString(UTF_8));
		assertThat(file.leads()).extracting(NewLead::name).containsExactly("Ada Adler", "Bo Choi", "Cy Kaya");
		assertThat(file.malformed()).extracting(MalformedLine::toString)
			.containsExactly("line 3: it has 2 values for 8 columns", "line 4: the quotes do not match",
					"line 6: the e-mail address is not one", "line 7: employees is not a whole number",
					"line 8: the e-mail address is the one of line 2", "line 10: opt_in is neither yes nor no",
					"line 11: the country is not a code of two letters",
					"line 12: the name is empty, too long or not text", "line 13: the term of payment is not 0 to 365",
					"line 14: the budget is negative", "line 15: the quotes do not match");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			''                    | the name is empty, too long or not text
			'A\0a'                | the name is empty, too long or not text
			'A\uFFFDa'            | the name is empty, too long or not text
			""")
	void textThatNoDatabaseTakesIsMalformed(String name, String reason) throws IOException {
		LeadFile file = read("name,email\n" + name + ",ada@cedar.example\n");
		assertThat(file.malformed()).containsExactly(new MalformedLine(2, reason));
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "\n", "Ada,ada@cedar.example\n", "name,company\nAda,Cedar\n", "name,name,email\n",
			"\"name,email\n" })
	void aFileWithoutAHeaderIsRefused(String csv) {
		assertThatExceptionOfType(LeadFileException.class).isThrownBy(() -> read(csv));
	}

	@Test
	void theShippedFileIsTheGeneratedOneAndAllGood() throws IOException {
		String shipped = new ClassPathResource("leads.csv").getContentAsString(UTF_8);
		assertThat(shipped).isEqualTo(LeadFileGenerator.generate());
		LeadFile file = read(shipped);
		assertThat(file.leads()).hasSize(5000);
		assertThat(file.malformed()).isEqualTo(List.of());
	}

	private static LeadFile read(String csv) throws IOException {
		return LeadFile.read(new StringReader(csv));
	}

}
