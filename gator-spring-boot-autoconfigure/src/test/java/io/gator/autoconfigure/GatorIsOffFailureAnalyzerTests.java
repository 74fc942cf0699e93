package io.gator.autoconfigure;

import io.gator.JobAdmin;
import io.gator.JobOperations;
import io.gator.JobPools;
import io.gator.JobTemplate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;

class GatorIsOffFailureAnalyzerTests {

	@ParameterizedTest
	@ValueSource(classes = { JobTemplate.class, JobOperations.class, JobAdmin.class, JobPools.class })
	void whoeverNeedsABeanOfGatorsIsToldWhyThereIsNone(Class<?> type) {
		assertThat(analyze(new NoSuchBeanDefinitionException(type))).isNotNull()
			.satisfies((analysis) -> assertThat(analysis.getDescription())
				.contains("needs a " + type.getSimpleName() + ", and there is none"));
	}

	@Test
	void aBeanThatIsMissedByItsNameIsLeftToOthers() {
		assertThat(analyze(new NoSuchBeanDefinitionException("jobTemplate"))).isNull();
	}

	@Test
	void aBeanOfSomebodyElsesIsLeftToOthers() {
		assertThat(analyze(new NoSuchBeanDefinitionException(Runnable.class))).isNull();
	}

	@Test
	void tooManyBeansAreLeftToOthers() {
		assertThat(analyze(new NoUniqueBeanDefinitionException(JobOperations.class, "mine", "jobTemplate"))).isNull();
	}

	private static @Nullable FailureAnalysis analyze(NoSuchBeanDefinitionException failure) {
		return new GatorIsOffFailureAnalyzer().analyze(failure);
	}

}
