package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.stream.StreamSupport;

/** Right values computed independently (scipy, statsmodels, numpy): {@code refvalues.json}. */
public final class RefValues {
  /** One case: what goes in, what must come out, and how near. */
  public record Case(String id, JsonNode inputs, JsonNode expected, double relativeTolerance) {
    /** Checks a number against the expected one at the tolerance of the case. */
    public void check(double actual, JsonNode right) {
      double value = right.doubleValue();
      double allowed = relativeTolerance * Math.abs(value);
      assertThat(Math.abs(actual - value))
          .as("%s: %s instead of %s", id, actual, value)
          .isLessThanOrEqualTo(allowed);
    }

    @Override
    public String toString() {
      return id;
    }
  }

  private static final List<Case> CASES = read();

  private RefValues() {}

  /** The case of an id. */
  public static Case named(String id) {
    return CASES.stream().filter(c -> c.id.equals(id)).findFirst().orElseThrow();
  }

  /** All cases whose id starts so; at least one. */
  public static List<Case> startingWith(String prefix) {
    List<Case> found = CASES.stream().filter(c -> c.id.startsWith(prefix)).toList();
    assertThat(found).as("cases %s*", prefix).isNotEmpty();
    return found;
  }

  /** The numbers of an array. */
  public static double[] numbers(JsonNode array) {
    return StreamSupport.stream(array.spliterator(), false)
        .mapToDouble(JsonNode::doubleValue)
        .toArray();
  }

  private static List<Case> read() {
    try (InputStream in =
        Objects.requireNonNull(RefValues.class.getResourceAsStream("/refvalues.json"))) {
      JsonNode cases = new ObjectMapper().readTree(in).get("cases");
      return StreamSupport.stream(cases.spliterator(), false)
          .map(
              c ->
                  new Case(
                      c.get("id").textValue(),
                      c.get("inputs"),
                      c.get("expected"),
                      c.get("rel_tol").doubleValue()))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
