package io.servedrift.monitors.detection;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.baseline.FamilySpec;
import io.servedrift.monitors.baseline.LoadMeter;
import io.servedrift.monitors.baseline.PaneCounts;
import io.servedrift.monitors.baseline.Stratum;
import io.servedrift.monitors.baseline.Thresholds;
import io.servedrift.monitors.baseline.TrafficClasses;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.zip.GZIPInputStream;

/**
 * Six days of simulated requests, four of reference and two to judge, with the values that an
 * independent implementation of the formulas computed from them ({@code detector_expected.json}).
 */
final class SimulatedTraffic {
  static final long PANE_MICROS = 60_000_000;
  static final TrafficClasses CLASSES = TrafficClasses.of(List.of("0", "1", "2", "3"));

  record Request(
      int minute,
      int trafficClass,
      boolean hit,
      int batch,
      boolean pre,
      double clip,
      double latency) {
    /** Those of the fixtures, which do not know hits in large batches. */
    List<Stratum> strata() {
      return Stratum.of(
              hit ? "hit" : "miss",
              batch == 1 ? "1" : batch < 4 ? "2-3" : batch < 8 ? "4-7" : "8-15",
              pre ? "yes" : "no")
          .stream()
          .filter(stratum -> stratum != Stratum.HIT_BATCH_8_UP)
          .toList();
    }
  }

  static final JsonNode EXPECTED = expected();
  static final List<Request> REQUESTS = requests();

  private SimulatedTraffic() {}

  static int referenceMinutes() {
    return EXPECTED.get("ref_minutes").intValue();
  }

  static Thresholds clipThresholds() {
    JsonNode winsor = EXPECTED.get("clip").get("winsor");
    return new Thresholds(
        winsor.get(0).doubleValue(), winsor.get(1).doubleValue(), new double[0][][]);
  }

  static Thresholds latencyThresholds() {
    return new Thresholds(
        Double.NEGATIVE_INFINITY,
        Double.POSITIVE_INFINITY,
        new ObjectMapper()
            .convertValue(
                EXPECTED.get("latency").get("thresholds_q_stratum_class"), double[][][].class));
  }

  /** All minutes as panes, as counted with these thresholds. */
  static List<PaneCounts> panes(
      FamilySpec spec, Thresholds thresholds, ToDoubleFunction<Request> value) {
    int minutes = EXPECTED.get("minutes").intValue();
    int[] arrivals = new int[minutes];
    REQUESTS.forEach(request -> arrivals[request.minute()]++);
    LoadMeter meter = new LoadMeter(PANE_MICROS);
    List<PaneCounts.Builder> open = new ArrayList<>();
    for (int minute = 0; minute < minutes; minute++) {
      long start = minute * PANE_MICROS;
      open.add(
          new PaneCounts.Builder(
              start, meter.observe(start, arrivals[minute]), CLASSES.size(), spec.tails().size()));
    }
    for (Request request : REQUESTS) {
      double raw = value.applyAsDouble(request);
      double kept = thresholds.winsorised(raw);
      PaneCounts.Builder pane = open.get(request.minute());
      for (Stratum stratum : request.strata()) {
        pane.add(stratum, request.trafficClass(), 1, kept, kept * kept);
        for (int level = 0; level < thresholds.levels(); level++) {
          if (raw > thresholds.cut(level, stratum, request.trafficClass())) {
            pane.addExceedances(level, stratum, request.trafficClass(), 1);
          }
        }
      }
    }
    return open.stream().map(PaneCounts.Builder::build).toList();
  }

  private static JsonNode expected() {
    try (InputStream in = resource("detector_expected.json")) {
      return new ObjectMapper().readTree(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Request> requests() {
    List<Request> found = new ArrayList<>();
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                new GZIPInputStream(resource("requests.csv.gz")), StandardCharsets.UTF_8))) {
      in.readLine();
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] cells = line.split(",", -1);
        found.add(
            new Request(
                Integer.parseInt(cells[0]),
                Integer.parseInt(cells[1]),
                cells[2].equals("1"),
                Integer.parseInt(cells[3]),
                cells[4].equals("1"),
                Double.parseDouble(cells[5]),
                Double.parseDouble(cells[6])));
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream resource(String name) {
    return Objects.requireNonNull(
        SimulatedTraffic.class.getResourceAsStream("/simulation/" + name));
  }
}
