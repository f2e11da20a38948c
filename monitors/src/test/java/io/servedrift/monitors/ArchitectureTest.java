package io.servedrift.monitors;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethod;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.Random;

/** The dependency rules; this test is their documentation. */
@AnalyzeClasses(packages = "io.servedrift", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {
  private static final String MONITORS = "io.servedrift.monitors.";

  /** Pure Java: decides without Kafka, clocks, threads, files or HTTP. */
  private static final String[] CORE = {
    MONITORS + "stats..",
    MONITORS + "pane..",
    MONITORS + "baseline..",
    MONITORS + "detection..",
    MONITORS + "attribution..",
    MONITORS + "judge..",
    MONITORS + "policy..",
    MONITORS + "ledger",
    MONITORS + "gate",
    MONITORS + "text.."
  };

  /** Around the core: streaming, replay and archive, page, report, operations, demo. */
  private static final String[] SHELL = {
    MONITORS + "topology..",
    MONITORS + "replay..",
    MONITORS + "archive..",
    MONITORS + "page..",
    MONITORS + "report..",
    MONITORS + "gate.run..",
    MONITORS + "gate.report..",
    MONITORS + "ops..",
    MONITORS + "demo..",
    MONITORS + "ledger.io.."
  };

  /** What of the alerts decides; the rest of the package runs it. */
  private static final String ALERT_CORE =
      "Alert|AlertBook|AlertKey|AlertLinks|AlertMessage|AlertName|AlertSeverity|AlertTimings"
          + "|AnnotationText|Condition|FindingAnnotations|FindingView";

  /** What is decided must not depend on when, or on which thread, it is decided. */
  static ArchCondition<JavaClass> askTheTimeOrThread() {
    return dependOnClassesThat(assignableTo(Clock.class).or(assignableTo(Thread.class)))
        .or(callMethod(Instant.class, "now"))
        .or(callMethod(System.class, "currentTimeMillis"))
        .or(callMethod(System.class, "nanoTime"));
  }

  @ArchTest
  static final ArchRule statsImportsNothingOfOurs =
      classes()
          .that()
          .resideInAPackage(MONITORS + "stats..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              MONITORS + "stats..", "java..", "org.apache.commons.statistics..", "org.jspecify..");

  @ArchTest
  static final ArchRule coreKnowsNoShell =
      noClasses()
          .that()
          .resideInAnyPackage(CORE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SHELL)
          .orShould()
          .dependOnClassesThat()
          .resideInAnyPackage(MONITORS + "cli..", "io.servedrift.ingest..");

  @ArchTest
  static final ArchRule coreKnowsNoKafkaNoClockNoThreadNoFile =
      noClasses()
          .that()
          .resideInAnyPackage(CORE)
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "io.javalin..", "java.nio.file..", "java.net..")
          .orShould(askTheTimeOrThread())
          .orShould()
          .dependOnClassesThat()
          .areAssignableTo(Random.class)
          .orShould()
          .callMethod(Math.class, "random");

  @ArchTest
  static final ArchRule reportKnowsNoKafkaNoClockNoServer =
      noClasses()
          .that()
          .resideInAnyPackage(MONITORS + "report..", MONITORS + "gate.report..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "org.apache.kafka..",
              "io.javalin..",
              "java.net.http..",
              MONITORS + "topology..",
              MONITORS + "replay..",
              MONITORS + "archive..",
              MONITORS + "page..",
              MONITORS + "ops..",
              MONITORS + "demo..")
          .orShould(askTheTimeOrThread());

  @ArchTest
  static final ArchRule statsComesBelowPane =
      noClasses()
          .that()
          .resideInAPackage(MONITORS + "stats..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage(MONITORS + "pane..");

  /** An archive keeps records; what they mean is for others. */
  @ArchTest
  static final ArchRule archiveKnowsNoJudgement =
      classes()
          .that()
          .resideInAPackage(MONITORS + "archive..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              MONITORS + "archive..",
              "io.servedrift.schemas..",
              "org.apache.avro..",
              "org.apache.kafka.clients.consumer..",
              "org.apache.kafka.common..",
              "com.fasterxml.jackson..",
              "java..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule shellKnowsNoCommandLine =
      noClasses()
          .that()
          .resideInAnyPackage(SHELL)
          .should()
          .dependOnClassesThat()
          .resideInAPackage(MONITORS + "cli..");

  @ArchTest
  static final ArchRule onlyTheCommandLineJoinsMonitorsAndIngest =
      noClasses()
          .that()
          .resideInAPackage(MONITORS + "(*)..")
          .and()
          .resideOutsideOfPackage(MONITORS + "cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.servedrift.ingest..");

  /** Lines and answers of runtimes in, events out. */
  @ArchTest
  static final ArchRule adaptersKnowNoKafkaNoClockNoThreadNoFile =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.servedrift.ingest.adapters..",
              "io.servedrift.ingest.capture..",
              "io.servedrift.ingest.literal..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "io.javalin..", "java.nio.file..", "java.net..")
          .orShould(askTheTimeOrThread());

  @ArchTest
  static final ArchRule followingKnowsNoKafka =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift.ingest.follow..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "io.javalin..");

  /**
   * A topic is followed with what files are followed with, and Kafka's consumer beside it; the
   * admin client tells who else is in the consumer's group.
   */
  @ArchTest
  static final ArchRule consumingKnowsNoFileAndNoHttp =
      classes()
          .that()
          .resideInAPackage("io.servedrift.ingest.consume..")
          .should()
          .onlyDependOnClassesThat()
          .resideInAnyPackage(
              "io.servedrift.ingest.consume..",
              "io.servedrift.ingest.follow..",
              "io.servedrift.ingest.adapters..",
              "io.servedrift.ingest.publish..",
              "io.servedrift.ingest.topics..",
              "io.servedrift.schemas..",
              "org.apache.kafka.clients.admin..",
              "org.apache.kafka.clients.consumer..",
              "org.apache.kafka.common..",
              "java..",
              "org.slf4j..",
              "org.jspecify..");

  @ArchTest
  static final ArchRule ingestKnowsNoMonitor =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift.ingest..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.servedrift.monitors..");

  @ArchTest
  static final ArchRule schemasKnowsNobodyAndNoFile =
      noClasses()
          .that()
          .resideInAPackage("io.servedrift.schemas..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.servedrift.ingest..", "io.servedrift.monitors..", "java.nio.file..");

  @ArchTest
  static final ArchRule onlyOneClassKnowsTheDigest =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName(MONITORS + "pane.TailSketch")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("com.tdunning..");

  @ArchTest
  static final ArchRule onlyOneClassUsesStreamsInternals =
      noClasses()
          .that()
          .haveSimpleNameNotStartingWith("CommitHook")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka.streams..internals..");

  @ArchTest
  static final ArchRule onlyTopologyKnowsStreams =
      noClasses()
          .that()
          .resideOutsideOfPackage(MONITORS + "topology..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka.streams..");

  @ArchTest
  static final ArchRule prometheusStaysInOps =
      noClasses()
          .that()
          .resideOutsideOfPackage(MONITORS + "ops..")
          .and()
          .haveSimpleNameNotEndingWith("Metrics")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.prometheus..");

  @ArchTest
  static final ArchRule picocliStaysInTheCommandLine =
      noClasses()
          .that()
          .resideOutsideOfPackage(MONITORS + "cli..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("picocli..");

  @ArchTest
  static final ArchRule alertsDecideWithoutKafkaClockThreadAndHttp =
      noClasses()
          .that()
          .resideInAPackage(MONITORS + "alert..")
          .and()
          .haveNameMatching(".*\\.(" + ALERT_CORE + ")(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.kafka..", "java.net.http..", "java.nio.file..")
          .orShould(askTheTimeOrThread());

  @ArchTest
  static final ArchRule alertsKnowNoShell =
      noClasses()
          .that()
          .resideInAPackage(MONITORS + "alert..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(SHELL)
          .orShould()
          .dependOnClassesThat()
          .resideInAPackage(MONITORS + "cli..");

  @ArchTest
  static final ArchRule oneClassSpeaksToAlertmanager =
      noClasses()
          .that()
          .resideInAPackage(MONITORS + "alert..")
          .and()
          .haveNameNotMatching(".*\\.AlertmanagerClient(\\$.*)?")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("java.net.http..");
}
