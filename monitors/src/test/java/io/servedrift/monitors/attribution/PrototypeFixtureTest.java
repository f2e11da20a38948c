package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.attribution.Traffic.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The numbers of an independent prototype (numpy) on a fixed sample of traffic in which cache hits
 * lost score while load, mix and batches moved: {@code simulation/attribution_expected.json}. The
 * prototype has one cause for traffic and one for what lies outside serving.
 */
class PrototypeFixtureTest {
  private static final int GROUPS = 4;
  private static final int NODES = 6;
  private static final double RELATIVE = 1e-6;
  private static final double MONTE_CARLO = .05;

  private static Traffic reference;
  private static Traffic window;
  private static JsonNode expected;

  @BeforeAll
  static void read() throws IOException {
    expected = new ObjectMapper().readTree(resource("attribution_expected.json"));
    reference = traffic("attr_ref.csv.gz", expected.at("/minutes/ref").intValue());
    window = traffic("attr_win.csv.gz", expected.at("/minutes/win").intValue());
  }

  private static InputStream resource(String name) {
    return Objects.requireNonNull(
        PrototypeFixtureTest.class.getResourceAsStream("/simulation/" + name), name);
  }

  private static Traffic traffic(String name, int minutes) throws IOException {
    List<Request> requests = new ArrayList<>();
    try (var lines =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(resource(name)), StandardCharsets.US_ASCII))) {
      lines.readLine();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] f = line.split(",", -1);
        requests.add(
            new Request(
                Integer.parseInt(f[0]),
                Integer.parseInt(f[1]),
                f[2].equals("1"),
                Integer.parseInt(f[3]),
                f[4].equals("1"),
                Integer.parseInt(f[5]),
                Double.parseDouble(f[6]),
                Double.parseDouble(f[7])));
      }
    }
    return new Traffic(minutes, requests);
  }

  @Test
  void agreesWithPrototype_whenHitsLostScore() {
    // the prototype knows no mediated load, hence the latency rule for a score
    check("clip", Measure.latencyMean().withEffectPriorSd(.5 * .03), Request::clip);
  }

  @Test
  void agreesWithPrototype_whenLatencyRoseWithLoad() {
    check("ll", Measure.latencyMean().withEffectPriorSd(.5 * .25), Request::logLatency);
  }

  @Test
  void agreesWithPrototype_whenLatencyTailRose() {
    double[] threshold = new double[GROUPS];
    for (int group = 0; group < GROUPS; group++) {
      threshold[group] = p99(group);
    }
    check("p99", Measure.latencyExceedance(), r -> r.logLatency() > threshold[r.group()] ? 1 : 0);
  }

  /** The cuts of the prototype, which has no bucket above the reference. */
  private static LoadBuckets buckets() {
    return LoadBuckets.atQuantiles(reference.loads(), .15, .3, .45, .6, .75, .875, .95);
  }

  private static double p99(int group) {
    double[] sorted =
        reference.requests().stream()
            .filter(r -> r.group() == group)
            .mapToDouble(Request::logLatency)
            .sorted()
            .toArray();
    double at = .99 * (sorted.length - 1);
    int below = (int) at;
    return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
  }

  private static void check(String metric, Measure measure, ToDoubleFunction<Request> value) {
    JsonNode right = expected.get(metric);
    Attribution found =
        new Attributor()
            .attribute(window.against(reference, buckets(), measure, value, GROUPS, NODES));
    close(found.split().total(), right.get("total"));
    close(found.split().within(), right.get("within"));
    close(found.split().unsupported(), right.get("unsupported"));
    close(found.split().commonSd(), right.get("tau_window"));
    close(found.cleanPath().shift(), right.at("/clean_path/0"));
    close(found.cleanPath().standardError(), right.at("/clean_path/1"));
    assertThat(found.cleanPath().requests()).isEqualTo(right.at("/clean_path/2").longValue());
    checkMechanisms(found, right.get("phi"));
    checkInclusions(found, right.get("inclusion"));
    checkCauses(found, right);
    String verdict = found.verdict().cause().label();
    assertThat(found.verdict().cause().traffic() ? "traffic" : verdict)
        .isEqualTo(right.get("verdict").textValue());
  }

  private static void checkMechanisms(Attribution found, JsonNode phi) {
    Map<Cause, Double> mechanisms = found.split().mechanisms();
    close(mechanisms.get(Cause.LOAD), phi.get("load"));
    close(mechanisms.get(Cause.TRAFFIC_MIX), phi.get("mix"));
    close(mechanisms.get(Cause.CACHE), phi.get("H"));
    close(mechanisms.get(Cause.BATCHING), phi.get("B"));
    close(mechanisms.get(Cause.SCHEDULING), phi.get("P"));
  }

  private static void checkInclusions(Attribution found, JsonNode right) {
    Map<String, String> names =
        Map.of(
            "all",
            "U",
            "cache=hit",
            "hit",
            "batch=2+",
            "b2",
            "batch=4+",
            "b4",
            "batch=8+",
            "b8",
            "preempted=yes",
            "pre");
    assertThat(found.inclusions()).hasSize(right.size());
    for (Attribution.Inclusion inclusion : found.inclusions()) {
      String covariate = inclusion.covariate();
      String name =
          covariate.equals("node") || covariate.equals("prompt_class")
              ? inclusion.level()
              : names.get(covariate.equals("all") ? "all" : covariate + "=" + inclusion.level());
      close(inclusion.probability(), right.get(name));
    }
  }

  private static void checkCauses(Attribution found, JsonNode right) {
    Map<String, List<Cause>> groups =
        Map.of(
            "traffic", List.of(Cause.LOAD, Cause.TRAFFIC_MIX),
            "cache", List.of(Cause.CACHE),
            "batching", List.of(Cause.BATCHING),
            "scheduling", List.of(Cause.SCHEDULING),
            "node", List.of(Cause.NODE),
            "model", List.of(Cause.UNEXPLAINED));
    groups.forEach(
        (name, causes) -> {
          close(sum(found, causes, CauseShare::contribution), right.at("/contributions/" + name));
          close(sum(found, causes, CauseShare::share), right.at("/share/" + name));
          assertThat(sum(found, causes, CauseShare::probability))
              .isCloseTo(right.at("/p_largest/" + name).doubleValue(), within(MONTE_CARLO));
        });
  }

  private static double sum(
      Attribution found, List<Cause> causes, ToDoubleFunction<CauseShare> value) {
    return causes.stream()
        .mapToDouble(cause -> value.applyAsDouble(found.share(cause).orElseThrow()))
        .sum();
  }

  private static void close(double actual, JsonNode right) {
    double value = right.doubleValue();
    assertThat(actual).isCloseTo(value, within(RELATIVE * Math.abs(value)));
  }

  @Test
  void givesTheSameRecord_whenRunTwice() {
    AttributionInput input =
        window.against(
            reference, buckets(), Measure.latencyMean(), Request::logLatency, GROUPS, NODES);
    Attribution first = new Attributor().attribute(input);
    assertThat(new Attributor().attribute(input)).isEqualTo(first);
    assertThat(Arrays.asList(first.verdict().cause(), first.verdict().mechanism()))
        .containsExactly(Cause.LOAD, Mechanism.EXPOSURE);
  }
}
