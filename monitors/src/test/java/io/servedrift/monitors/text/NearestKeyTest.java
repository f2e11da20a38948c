package io.servedrift.monitors.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NearestKeyTest {

  @ParameterizedTest
  @CsvSource({"kitten, sitting, 3", "flaw, lawn, 2", "abc, abc, 0", "'', abc, 3"})
  void countsEdits(String left, String right, int edits) {
    assertThat(NearestKey.distance(left, right)).isEqualTo(edits);
  }

  @Property
  void isSymmetricAndBoundedByTheLongerText(
      @ForAll @AlphaChars @StringLength(max = 12) String left,
      @ForAll @AlphaChars @StringLength(max = 12) String right) {
    int distance = NearestKey.distance(left, right);

    assertThat(distance)
        .isEqualTo(NearestKey.distance(right, left))
        .isLessThanOrEqualTo(Math.max(left.length(), right.length()))
        .isGreaterThanOrEqualTo(Math.abs(left.length() - right.length()));
  }

  @Test
  void findsNothing_whenEveryKnownNameIsFar() {
    assertThat(NearestKey.of("xyz", List.of("grace", "pane"))).isEmpty();
    assertThat(NearestKey.of("pain", List.of("grace", "pane"))).contains("pane");
  }
}
