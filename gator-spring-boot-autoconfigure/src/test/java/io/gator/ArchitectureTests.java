package io.gator;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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

	/** The only package that may know all others. */
	private static final String WIRING = "io.gator.autoconfigure";

	/** Whom a package may know besides the API. */
	private static final Map<String, List<String>> MAY_KNOW = Map.ofEntries(Map.entry("routing", List.of()),
			Map.entry("store", List.of()), Map.entry("dispatch", List.of("store", "routing")),
			Map.entry("worker", List.of("store", "routing")), Map.entry("maintenance", List.of("store", "routing")),
			Map.entry("admin", List.of("store", "routing")), Map.entry("insight", List.of("store", "worker")),
			Map.entry("metrics", List.of("store", "routing", "worker", "maintenance", "insight")),
			Map.entry("observation", List.of("store", "dispatch", "worker")),
			Map.entry("health", List.of("store", "worker")),
			Map.entry("startup", List.of("store", "routing", "worker")),
			Map.entry("actuate", List.of("store", "routing", "insight")));

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
	void eachPackageKnowsOnlyThoseItBuildsUpon() {
		MAY_KNOW.forEach(ArchitectureTests::mayKnowOnly);
	}

	@Test
	void ofNoPackageItIsLeftOpenWhomItMayKnow() {
		Set<String> packages = new TreeSet<>();
		GATOR.forEach((type) -> packages.add(type.getPackageName()));
		packages.removeAll(List.of(API, WIRING));
		assertThat(packages)
			.containsExactlyInAnyOrderElementsOf(MAY_KNOW.keySet().stream().map((name) -> API + "." + name).toList());
	}

	@Test
	void nothingKnowsTheWiring() {
		noClasses().that()
			.resideOutsideOfPackage(WIRING + "..")
			.should()
			.dependOnClassesThat()
			.resideInAPackage(WIRING + "..")
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
			.resideOutsideOfPackages(API, WIRING)
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
