package io.gator.store;

import java.sql.BatchUpdateException;
import java.sql.SQLException;

import io.gator.JobCancelledException;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

import org.springframework.dao.DuplicateKeyException;

import static org.assertj.core.api.Assertions.assertThat;

class ErrorTextTests {

	@Test
	void anErrorWithoutFramesIsAText() {
		assertThat(ErrorText.of(new IllegalStateException("no frames") {

			@Override
			public StackTraceElement[] getStackTrace() {
				return null;
			}

		})).contains("no frames");
	}

	@Test
	void classMessageAndFramesOfAnErrorAndItsCausesAreWrittenDown() {
		IllegalStateException error = new IllegalStateException("outer", new IllegalArgumentException("inner"));
		error.addSuppressed(new java.io.IOException("while closing"));
		assertThat(ErrorText.of(error))
			.startsWith("java.lang.IllegalStateException: outer\n\tat " + getClass().getName())
			.contains("\nCaused by: java.lang.IllegalArgumentException: inner\n\tat ")
			.contains("\nSuppressed: java.io.IOException: while closing\n\tat ");
	}

	@Test
	void anErrorWithoutAMessageIsItsClass() {
		assertThat(ErrorText.of(new IllegalStateException())).startsWith("java.lang.IllegalStateException\n\tat ");
	}

	@Test
	void causesInACircleAreWrittenOnce() {
		RuntimeException first = new RuntimeException("first");
		RuntimeException second = new RuntimeException("second", first);
		first.initCause(second);
		second.addSuppressed(first);
		String text = ErrorText.of(first);
		assertThat(text).containsOnlyOnce(": first").containsOnlyOnce(": second").contains("(again)");
	}

	@Test
	void aDeepChainOfCausesIsCut() {
		Throwable error = new IllegalStateException("level 0");
		error.setStackTrace(new StackTraceElement[0]);
		for (int level = 1; level <= 5000; level++) {
			error = new IllegalStateException("level " + level, error);
			error.setStackTrace(new StackTraceElement[0]);
		}
		assertThat(ErrorText.of(error)).contains("level 5000\n", "level 4990\n")
			.doesNotContain("level 4989")
			.endsWith("…\n");
	}

	@Test
	void manyFramesAreCut() {
		IllegalStateException error = new IllegalStateException();
		StackTraceElement[] frames = new StackTraceElement[100];
		for (int i = 0; i < frames.length; i++) {
			frames[i] = new StackTraceElement("Frame", "number" + i, "Frame.java", i);
		}
		error.setStackTrace(frames);
		assertThat(ErrorText.of(error)).contains("number29").doesNotContain("number30").contains("… 70 more");
	}

	@Test
	void aLongMessageIsCutAndTheCauseIsStillThere() {
		assertThat(ErrorText.of(new IllegalStateException("x".repeat(1_000_000), new IllegalStateException("inner"))))
			.contains("x".repeat(ErrorText.MAX_MESSAGE) + "…\n")
			.doesNotContain("x".repeat(ErrorText.MAX_MESSAGE + 1))
			.contains("inner");
	}

	@Test
	void aTextThatIsTooLongAsAWholeIsCut() {
		IllegalStateException error = new IllegalStateException("outer");
		for (int i = 0; i < 1000; i++) {
			error.addSuppressed(new IllegalStateException("y".repeat(3000)));
		}
		assertThat(ErrorText.of(error)).hasSizeLessThanOrEqualTo(ErrorText.MAX_TOTAL + 1).endsWith("…");
	}

	@Test
	void aPairOfSurrogatesIsNotCutInHalf() {
		String pair = "\uD83D\uDC0A";
		String text = ErrorText
			.of(new IllegalStateException("x".repeat(ErrorText.MAX_MESSAGE - 1) + pair + "y".repeat(10)));
		assertThat(text).contains("x…").doesNotContain(pair).doesNotContain("\uFFFD");
	}

	@Test
	void whatPostgresqlDoesNotTakeIsReplacedAndPairsStay() {
		assertThat(ErrorText.sanitize("a\0b \uD83D\uDC0A \uD83D x \uDC0A"))
			.isEqualTo("a\uFFFDb \uD83D\uDC0A \uFFFD x \uFFFD");
		assertThat(ErrorText.sanitize("\uD83D")).isEqualTo("\uFFFD");
		assertThat(ErrorText.of(new IllegalStateException("a\0b"))).contains("a\uFFFDb");
	}

	@Test
	void anErrorThatWillNotSayAnythingIsWrittenDownAllTheSame() {
		assertThat(ErrorText.of(new Silent())).isEqualTo(
				Silent.class.getName() + ": (its message cannot be read: java.lang.UnsupportedOperationException)\n");
	}

	@Test
	void theDetailsOfPostgresqlAreLeftOut() {
		assertThat(ErrorText.of(new IllegalStateException("""
				ERROR: duplicate key value violates unique constraint "customer_email"
				  Detail: Key (email)=(s3cr3t@example.org) already exists."""))).contains("customer_email")
			.doesNotContain("s3cr3t");
	}

	@Test
	void detailsOfManyLinesAreLeftOutOfTheErrorAndOfWhoeverQuotesIt() {
		PSQLException error = new PSQLException(new ServerErrorMessage("SERROR\0C23505\0Mduplicate key\0"
				+ "DKey (note)=(first\nsecond s3cr3t\n  Detail: third s3cr3t) already exists.\0tnotes\0"));
		assertThat(error.getMessage()).contains("s3cr3t");
		assertThat(ErrorText.of(new DuplicateKeyException("Cannot insert; " + error.getMessage(), error)))
			.contains("Cannot insert", "duplicate key")
			.doesNotContain("s3cr3t");
		// As the driver says it in English. In other languages it goes by the cause.
		assertThat(ErrorText.of(new IllegalStateException("Cannot insert; ERROR: duplicate key\n"
				+ "  Detail: Key (note)=(first\nsecond s3cr3t\n  Detail: third s3cr3t) already exists.")))
			.contains("Cannot insert", "duplicate key")
			.doesNotContain("s3cr3t");
	}

	/** The driver speaks the language of the JVM. */
	@Test
	void detailsAreLeftOutInWhateverLanguageTheyAreCalledSo() {
		SQLException error = new SQLException("ERREUR: une valeur de clé\n  Détail : Key (note)=(s3cr3t) existe.");
		assertThat(ErrorText.of(new IllegalStateException("Cannot insert",
				new DuplicateKeyException("; " + error.getMessage(), error))))
			.contains("Cannot insert", "une valeur de clé")
			.doesNotContain("s3cr3t");
	}

	@Test
	void theStatementOfARefusedBatchIsLeftOutOfTheErrorAndOfWhoeverQuotesIt() {
		SQLException reason = new PSQLException(
				new ServerErrorMessage("SERROR\0C23505\0Mduplicate key\0DKey (mail)=(secret)\0"));
		BatchUpdateException batch = new BatchUpdateException("Batch entry 0 insert … values ('secret') was aborted",
				"23505", new int[0], reason);
		assertThat(ErrorText.of(new IllegalStateException("cannot save; " + batch.getMessage(), batch)))
			.contains("cannot save; A statement of a batch was refused: ERROR: duplicate key [23505]\n",
					"BatchUpdateException: A statement of a batch was refused: ERROR: duplicate key [23505]\n")
			.doesNotContain("secret");
		BatchUpdateException alone = new BatchUpdateException("values ('secret')", "23505", new int[0]);
		assertThat(ErrorText.messageOf(alone)).isEqualTo("A statement of a batch was refused: [23505]");
	}

	@Test
	void aBatchThatSaysNothingLeavesTheMessageOfWhoeverWrapsItAsItIs() {
		for (String nothing : new String[] { null, "" }) {
			BatchUpdateException batch = new BatchUpdateException(nothing, "23505", new int[0]);
			assertThat(ErrorText.messageOf(new IllegalStateException("cannot save", batch))).isEqualTo("cannot save");
		}
	}

	@Test
	void aReasonIsCutAndCleanedAsAMessageIs() {
		assertThat(ErrorText.messageOf(new JobCancelledException("not needed"))).isEqualTo("not needed");
		assertThat(ErrorText.messageOf(new JobCancelledException("a\0" + "x".repeat(1_000_000))))
			.isEqualTo("a\uFFFD" + "x".repeat(ErrorText.MAX_MESSAGE - 2) + "…");
		assertThat(
				ErrorText.messageOf(new JobCancelledException("ERROR: duplicate key\n  Detail: Key (s3cr3t) exists.")))
			.isEqualTo("ERROR: duplicate key");
		SQLException error = new SQLException("ERREUR: valeur en double\n  Détail : Key (note)=(s3cr3t) existe.");
		assertThat(ErrorText.messageOf(new JobCancelledException(error.getMessage()).initCause(error)))
			.isEqualTo("ERREUR: valeur en double");
		assertThat(ErrorText.messageOf(new IllegalStateException())).isNull();
	}

	@Test
	void aMessageOfManyLinesThatHasNothingToDoWithADatabaseIsKept() {
		assertThat(ErrorText.of(new IllegalStateException("two mistakes:\n  the first\n  the second")))
			.contains("two mistakes:\n  the first\n  the second\n");
	}

	/** Cannot even say what it is. */
	@SuppressWarnings("serial")
	private static final class Silent extends IllegalStateException {

		@Override
		public String getMessage() {
			throw new UnsupportedOperationException("nothing");
		}

		@Override
		public String toString() {
			throw new UnsupportedOperationException("nothing");
		}

		@Override
		public StackTraceElement[] getStackTrace() {
			throw new UnsupportedOperationException("nothing");
		}

		@Override
		public synchronized Throwable getCause() {
			throw new UnsupportedOperationException("nothing");
		}

	}

}
