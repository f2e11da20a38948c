package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.follow.FollowCounts;
import io.servedrift.ingest.follow.Following;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.ingest.topics.TopicDifference;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code import --follow|--from-topic}: what others write goes to the live topics as it comes. */
final class FollowedImport {
  private static final Duration PAUSE = Duration.ofMillis(250);

  /** Opens what is followed. */
  interface Source {
    Following open(EventSink sink) throws IOException, UnfitSourceException;
  }

  private final CommandContext context;
  private final String what;
  private final String unit;
  private final Source source;

  /**
   * @param what is followed, for messages
   * @param unit of which it consists, in the plural
   */
  FollowedImport(CommandContext context, String what, String unit, Source source) {
    this.context = context;
    this.what = what;
    this.unit = unit;
    this.source = source;
  }

  /**
   * Follows until a signal.
   *
   * @param kafka client settings
   * @param topics live topics, which must be there
   */
  ExitCode run(Map<String, String> kafka, Topics topics, boolean json) throws IOException {
    requireTopics(kafka, topics);
    try (StopSignal signal = StopSignal.install();
        EventPublisher publisher =
            new EventPublisher(
                PublisherSettings.defaults(kafka.getOrDefault("bootstrap.servers", ""))
                    .withKafka(kafka),
                topics);
        Following followed = source.open(publisher)) {
      context.terminal().err().println("servedrift: following " + what);
      context.terminal().err().flush();
      followed.run(signal::isStopped, () -> pause(signal));
      print(followed.counts(), topics, json);
      return endOf(signal);
    } catch (UnfitSourceException e) {
      throw new CommandFailure(ExitCode.USAGE, what + ": " + e.getMessage(), e);
    }
  }

  private static ExitCode endOf(StopSignal signal) {
    try {
      ExitCode code = signal.await(Duration.ZERO);
      return code == null ? ExitCode.DONE : code;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCode.INTERRUPTED;
    }
  }

  private static void requireTopics(Map<String, String> kafka, Topics topics) {
    List<TopicSpec> needed =
        topics.all().stream()
            .filter(
                spec ->
                    List.of(
                            topics.requests(),
                            topics.scores(),
                            topics.servingEvents(),
                            topics.configs(),
                            topics.deadLetters())
                        .contains(spec.name()))
            .toList();
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
      List<String> missing =
          provisioner.check(needed).stream()
              .filter(difference -> difference.kind() == TopicDifference.Kind.MISSING)
              .map(TopicDifference::topic)
              .toList();
      if (!missing.isEmpty()) {
        throw CommandFailure.usage(
            "the topics "
                + missing
                + " are not there; create them with topics --apply, or start run first");
      }
    }
  }

  private static void pause(StopSignal signal) {
    try {
      signal.await(PAUSE);
    } catch (InterruptedException e) {
      signal.stop(ExitCode.INTERRUPTED);
      Thread.currentThread().interrupt();
    }
  }

  private void print(FollowCounts counts, Topics topics, boolean json) {
    PrintWriter out = context.terminal().out();
    if (json) {
      ObjectNode document = JsonOutput.document();
      document.put(unit, counts.lines()).put("published", counts.published());
      ReadReport.counts(document.putObject("rejected_by_reason"), counts.rejected());
      ReadReport.counts(document.putObject("skipped_by_reason"), counts.skipped());
      ReadReport.counts(document.putObject("notes"), counts.notes());
      JsonOutput.print(document, out);
      return;
    }
    out.printf(
        "%,d %s read, %,d events published to %s%n",
        counts.lines(), unit, counts.published(), topics.requests());
    each(out, "rejected", counts.rejected());
    each(out, "skipped", counts.skipped());
    each(out, "note", counts.notes());
  }

  private static void each(PrintWriter out, String what, Map<String, Long> counts) {
    new TreeMap<>(counts).forEach((name, count) -> out.printf("  %s %s: %,d%n", what, name, count));
  }
}
