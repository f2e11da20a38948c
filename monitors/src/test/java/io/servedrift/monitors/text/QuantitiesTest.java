package io.servedrift.monitors.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {

  @ParameterizedTest
  @CsvSource({
    "30s, 30000",
    "5m, 300000",
    "1.5h, 5400000",
    "250ms, 250",
    "2d, 172800000",
    "PT30S, 30000",
    "pt1m, 60000",
    "0s, 0"
  })
  void readsDurations(String text, long millis) {
    assertThat(Quantities.duration(text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "60", "5x", "-5s", "1s2", "0.0001ms", "P", "99999999999999999999d"})
  void refusesDurations_whenUnitOrNumberIsWrong(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Quantities.duration(text));
  }

  @ParameterizedTest
  @CsvSource({"64MiB, 67108864", "1KiB, 1024", "1.5KiB, 1536", "2kB, 2000", "7B, 7"})
  void readsSizes(String text, long bytes) {
    assertThat(Quantities.bytes(text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"64", "64M", "1.3B", "-1KiB"})
  void refusesSizes_whenUnitOrNumberIsWrong(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> Quantities.bytes(text));
  }

  @Property
  void readsBackWhatItWrites(@ForAll @LongRange(min = 0, max = 1L << 40) long millis) {
    Duration duration = Duration.ofMillis(millis);

    assertThat(Quantities.duration(Quantities.text(duration))).isEqualTo(duration);
  }
}
