package io.servedrift.serving;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The dependency rules; this test is their documentation. */
@AnalyzeClasses(packages = "io.servedrift", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String SERVING = "io.servedrift.serving.";

  @ArchTest
  static final ArchRule dependenciesPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInAnyPackage("io.servedrift.serving..")
          .layer("cli")
          .definedBy(SERVING + "cli..")
          .layer("node")
          .definedBy(SERVING + "node..")
          .layer("scheduler")
          .definedBy(SERVING + "scheduler..")
          .layer("engine")
          .definedBy(SERVING + "engine..")
          .layer("score")
          .definedBy(SERVING + "score..")
          .layer("cache")
          .definedBy(SERVING + "cache..")
          .layer("fault")
          .definedBy(SERVING + "fault..")
          .layer("generation")
          .definedBy(SERVING + "generation..")
          .layer("recorder")
          .definedBy(SERVING + "recorder..")
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("node")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("scheduler")
          .mayOnlyBeAccessedByLayers("cli", "node")
          .whereLayer("engine")
          .mayOnlyBeAccessedByLayers("cli", "node", "score")
          .whereLayer("score")
          .mayOnlyBeAccessedByLayers("cli", "node")
          .whereLayer("cache")
          .mayOnlyBeAccessedByLayers("cli", "node", "engine")
          .whereLayer("fault")
          .mayOnlyBeAccessedByLayers("cli", "node", "engine", "scheduler", "cache")
          .whereLayer("generation")
          .mayOnlyBeAccessedByLayers("cli", "node", "engine", "scheduler", "score")
          .whereLayer("recorder")
          .mayOnlyBeAccessedByLayers("cli", "node", "engine", "scheduler", "cache", "generation");

  /** What the HTTP side serves is decided below it. */
  @ArchTest
  static final ArchRule nodeKnowsNoHttp =
      noClasses()
          .that()
          .resideInAPackage(SERVING + "node")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SERVING + "node.http..", "io.javalin..", "org.eclipse.jetty..");

  @ArchTest
  static final ArchRule onlyEngineAndScorerKnowDjl =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift..")
          .and()
          .resideOutsideOfPackages(SERVING + "engine..", SERVING + "score..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("ai.djl..");

  @ArchTest
  static final ArchRule onlyTheCommandLineKnowsPicocli =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift.serving..")
          .and()
          .resideOutsideOfPackage(SERVING + "cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  @ArchTest
  static final ArchRule onlyMetricsKnowPrometheus =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift.serving..")
          .and()
          .haveSimpleNameNotEndingWith("Metrics")
          .and()
          // Hands the scorer's metrics on to the server.
          .doNotHaveSimpleName("NodeServer")
          .and()
          .doNotHaveSimpleName("RunningNode")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.prometheus..");

  /** The node publishes; what it means is for the monitor, which may not be there. */
  @ArchTest
  static final ArchRule nothingKnowsTheMonitor =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift.serving..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.servedrift.monitors..");

  @ArchTest
  static final ArchRule nothingDeserialisesJavaObjects =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift..")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("java.io.ObjectInputStream");
}
