package io.gator;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Pattern;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.junit.jupiter.api.Test;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who may know whom.
 */
class ArchitectureTests {

	private static final String API = "io.gator";

	/** Where the API is compiled to: the classes of tests lie elsewhere. */
	private static final JavaClasses GATOR = new ClassFileImporter()
		.importUrl(Job.class.getProtectionDomain().getCodeSource().getLocation());

	@Test
	void thereIsSomethingToCheck() {
		assertThat(GATOR).hasSizeGreaterThan(80);
	}

	@Test
	void thereAreNoCycles() {
		slices().matching("io.gator.(*)..").should().beFreeOfCycles().check(GATOR);
	}

	@Test
	void theApiKnowsNothingOfTheEngine() {
		noClasses().that()
			.resideInAPackage(API)
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.gator.(*)..")
			.check(GATOR);
	}

	@Test
	void routingKnowsTheApiOnly() {
		mayKnowOnly("routing", List.of());
	}

	@Test
	void theStoreKnowsTheApiOnly() {
		mayKnowOnly("store", List.of());
	}

	@Test
	void dispatchWorkerMaintenanceAndAdminKnowOnlyTheStoreAndTheRoutes() {
		for (String one : List.of("dispatch", "worker", "maintenance", "admin")) {
			mayKnowOnly(one, List.of("store", "routing"));
		}
	}

	@Test
	void whatWatchesTheEngineKnowsOnlyWhatItWatches() {
		mayKnowOnly("insight", List.of("store", "worker"));
		mayKnowOnly("metrics", List.of("store", "routing", "worker", "maintenance", "insight"));
		mayKnowOnly("observation", List.of("store", "dispatch", "worker"));
		mayKnowOnly("health", List.of("store", "worker"));
		mayKnowOnly("startup", List.of("store", "routing", "worker"));
		mayKnowOnly("actuate", List.of("store", "routing", "insight"));
	}

	@Test
	void nothingKnowsTheWiring() {
		noClasses().that()
			.resideOutsideOfPackage("io.gator.autoconfigure..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage("io.gator.autoconfigure..")
			.check(GATOR);
	}

	@Test
	void statementsAreRunInTheStoreOnly() {
		noClasses().that()
			.resideOutsideOfPackage("io.gator.store..")
			.should()
			.dependOnClassesThat()
			.belongToAnyOf(Statement.class, PreparedStatement.class, ResultSet.class)
			.orShould()
			.dependOnClassesThat()
			.haveFullyQualifiedName("org.springframework.jdbc.core.JdbcTemplate")
			.orShould()
			.dependOnClassesThat()
			.resideInAnyPackage("org.springframework.jdbc.core..", "org.postgresql.core..")
			.check(GATOR);
	}

	@Test
	void sqlStandsInTheStoreOnly() {
		Pattern sql = Pattern.compile(
				"(?is)^\\s*(with\\s+\\w+ as|select\\s.+\\sfrom\\s|insert\\s+into\\s|update\\s+\\S+\\s+set\\s|delete\\s+from\\s).*");
		classes().that().resideOutsideOfPackage("io.gator.store..").should(new ArchCondition<>("hold no SQL") {
			@Override
			public void check(JavaClass type, ConditionEvents events) {
				for (String text : ConstantStrings.of(type)) {
					if (sql.matcher(text).matches()) {
						events.add(SimpleConditionEvent.violated(type, type.getName() + " holds: " + text));
					}
				}
			}
		}).check(GATOR);
	}

	@Test
	void publicTypesOfTheEngineAreUsedByAnotherPackage() {
		classes().that()
			.resideInAnyPackage("io.gator.routing..", "io.gator.store..", "io.gator.dispatch..", "io.gator.worker..",
					"io.gator.maintenance..", "io.gator.admin..")
			.and()
			.haveModifier(JavaModifier.PUBLIC)
			.and()
			.areNotMemberClasses()
			.and()
			// The driver creates it by its name.
			.doNotHaveFullyQualifiedName("io.gator.store.PromptSocketFactory")
			.should(new ArchCondition<>("be used by another package") {
				@Override
				public void check(JavaClass type, ConditionEvents events) {
					boolean used = type.getDirectDependenciesToSelf()
						.stream()
						.anyMatch((use) -> !use.getOriginClass().getPackageName().equals(type.getPackageName()));
					if (!used && !isPartOfAnother(type) && !type.isAssignableTo(Throwable.class)) {
						events.add(SimpleConditionEvent.violated(type, type.getName() + " is public for nobody"));
					}
				}
			})
			.check(GATOR);
	}

	@Test
	void allPackagesAreNullMarked() {
		for (JavaClass type : GATOR) {
			assertThat(type.getPackage().isAnnotatedWith("org.jspecify.annotations.NullMarked"))
				.as(type.getPackageName())
				.isTrue();
		}
	}

	/**
	 * What a public method of a public type takes or returns has to be public as well.
	 */
	private static boolean isPartOfAnother(JavaClass type) {
		return type.getPackage()
			.getClasses()
			.stream()
			.filter((other) -> other != type && other.getModifiers().contains(JavaModifier.PUBLIC))
			.flatMap((other) -> other.getMethods().stream())
			.filter((method) -> method.getModifiers().contains(JavaModifier.PUBLIC))
			.anyMatch(
					(method) -> method.getRawReturnType().equals(type) || method.getRawParameterTypes().contains(type));
	}

	private static void mayKnowOnly(String name, List<String> others) {
		List<String> allowed = new java.util.ArrayList<>(List.of(API, "io.gator." + name));
		others.forEach((other) -> allowed.add("io.gator." + other));
		classes().that()
			.resideInAPackage("io.gator." + name)
			.should()
			.onlyDependOnClassesThat(com.tngtech.archunit.base.DescribedPredicate.describe("are allowed",
					(type) -> !type.getPackageName().startsWith(API) || allowed.contains(type.getPackageName())))
			.check(GATOR);
	}

}
