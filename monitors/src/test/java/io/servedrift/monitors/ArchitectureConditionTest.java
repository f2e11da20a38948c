package io.servedrift.monitors;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Clock;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That the condition of several rules finds what it forbids, joined as those rules join it. */
class ArchitectureConditionTest {
  private static final ArchRule RULE =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAPackage("org.apache.kafka..")
          .orShould(ArchitectureTest.askTheTimeOrThread());

  private static boolean finds(Class<?> one) {
    return RULE.evaluate(new ClassFileImporter().importClasses(one)).hasViolation();
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        HoldsAClock.class,
        HoldsAThread.class,
        AsksTheInstant.class,
        AsksTheMillis.class,
        AsksTheNanos.class
      })
  void findsWhoAsksTheTimeOrThread(Class<?> one) {
    assertThat(finds(one)).isTrue();
  }

  @Test
  void leavesAloneWhoIsGivenTheTime() {
    assertThat(finds(IsGivenTheTime.class)).isFalse();
  }

  private record HoldsAClock(Clock clock) {}

  private record HoldsAThread(Thread thread) {}

  private record AsksTheInstant() implements Supplier<Instant> {
    @Override
    public Instant get() {
      return Instant.now();
    }
  }

  private record AsksTheMillis() implements LongSupplier {
    @Override
    public long getAsLong() {
      return System.currentTimeMillis();
    }
  }

  private record AsksTheNanos() implements LongSupplier {
    @Override
    public long getAsLong() {
      return System.nanoTime();
    }
  }

  private record IsGivenTheTime(Instant at) implements Supplier<Instant> {
    @Override
    public Instant get() {
      return at.plusSeconds(1);
    }
  }
}
