package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.cli.settings.Settings;
import io.servedrift.monitors.judge.StepTaker;
import io.servedrift.monitors.policy.Policy;
import io.servedrift.monitors.replay.ReplayCore;
import io.servedrift.monitors.report.OutputLinks;
import io.servedrift.monitors.report.Report;
import io.servedrift.monitors.report.RunFacts;
import io.servedrift.monitors.report.RunRecorder;
import io.servedrift.schemas.Reading;
import io.servedrift.schemas.avro.Correction;
import io.servedrift.schemas.avro.Finding;
import io.servedrift.schemas.avro.WindowSummary;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Makes the report of a replay: listens beside its output and writes the files at its end. */
final class ReplayReport {
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=,@%+-]+");

  private final Path folder;
  private final OutputLinks links;
  private final RunRecorder recorder;

  /**
   * @param folder where the files go
   * @param links to outputs
   * @param recorder what the report is made of
   */
  ReplayReport(Path folder, OutputLinks links, RunRecorder recorder) {
    this.folder = folder;
    this.links = links;
    this.recorder = recorder;
  }

  /** The same judges; the report looks at what they are given. */
  StepTaker.Maker watching(StepTaker.Maker judges) {
    return recorder.watching(judges);
  }

  /** A listener that passes everything on and keeps what is wanted for the report. */
  ReplayCore.Listener beside(
      ReplayCore.Listener output,
      Predicate<WindowSummary> wanted,
      Predicate<Finding> wantedFinding) {
    return new ReplayCore.Listener() {
      @Override
      public void window(WindowSummary window) {
        if (wanted.test(window)) {
          recorder.window(window);
        }
        output.window(window);
      }

      @Override
      public void correction(Correction correction) {
        output.correction(correction);
      }

      @Override
      public void finding(Finding finding, long micros) {
        JsonNode body = JsonOutput.parse(finding.getBody());
        if (body != null && wantedFinding.test(finding)) {
          recorder.finding(body, Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
        }
        output.finding(finding, micros);
      }

      @Override
      public void checkpoint(String deployment, long micros, Supplier<byte[]> state) {
        output.checkpoint(deployment, micros, state);
      }

      @Override
      public void rejected(Reading.Rejected why, String origin, byte @Nullable [] payload) {
        output.rejected(why, origin, payload);
      }
    };
  }

  /**
   * Writes the files.
   *
   * @param arguments of the command line
   * @param summary what was read and counted
   * @return the page
   * @throws IOException when the folder cannot be written
   */
  Path write(
      Instant madeAt,
      boolean partial,
      List<String> arguments,
      Settings settings,
      Policy policy,
      ObjectNode summary,
      ConfigNames names)
      throws IOException {
    RunFacts facts =
        new RunFacts(
            madeAt,
            partial,
            command(arguments),
            Map.of(
                "servedrift", BuildInfo.version(),
                "java", Runtime.version().toString(),
                "kafka", BuildInfo.kafkaVersion()),
            policy,
            changed(settings),
            summary,
            names::shown,
            links);
    Report.of(recorder, facts).write(folder);
    return folder.resolve(Report.PAGE);
  }

  /** Arguments as a shell takes them; credentials in URLs are masked. */
  static String command(List<String> arguments) {
    return arguments.stream()
        .map(Settings::withoutCredentials)
        .map(ReplayReport::quoted)
        .collect(Collectors.joining(" ", "./servedrift ", ""));
  }

  private static String quoted(String argument) {
    return PLAIN.matcher(argument).matches()
        ? argument
        : "'" + argument.replace("'", "'\\''") + "'";
  }

  private static Map<String, String> changed(Settings settings) {
    Map<String, String> changed = new TreeMap<>();
    for (Settings.Line line : settings.lines()) {
      if (line.value() != null && !line.source().equals("default")) {
        changed.put(line.key(), line.value() + " (" + line.source() + ")");
      }
    }
    return changed;
  }
}
