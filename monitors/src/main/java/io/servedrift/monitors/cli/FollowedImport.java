package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.adapters.UnfitSourceException;
import io.servedrift.ingest.follow.FollowCounts;
import io.servedrift.ingest.follow.Following;
import io.servedrift.ingest.publish.EventPublisher;
import io.servedrift.ingest.publish.EventSink;
import io.servedrift.ingest.publish.PublisherSettings;
import io.servedrift.schemas.TopicSpec;
import io.servedrift.schemas.Topics;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** {@code import --follow|--from-topic}: what others write goes to the live topics as it comes. */
final class FollowedImport {
  private static final Duration PAUSE = Duration.ofMillis(250);
  private static final Duration LONGEST_WAIT_FOR_TOPICS = Duration.ofSeconds(30);

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
   * @param broker that the records go to
   * @param topics live topics; those that are written to are waited for, or made where nobody else
   *     can have made them
   * @param contract whether what is followed has the shape of the contract
   */
  ExitCode run(BrokerConnection broker, Topics topics, boolean contract, boolean json)
      throws IOException {
    try (StopSignal signal = StopSignal.install()) {
      if (broker.embedded()) {
        broker.makeTopics(topics);
      }
      new TopicWait(context, broker.kafka(), LONGEST_WAIT_FOR_TOPICS)
          .await(written(topics, contract), signal);
      if (!signal.isStopped()) {
        follow(broker.kafka(), topics, signal, json);
      } else {
        print(new FollowCounts(0, Map.of(), Map.of(), Map.of(), Map.of()), json);
      }
      ExitCode code = signal.await(Duration.ZERO);
      return code == null ? ExitCode.DONE : code;
    } catch (UnfitSourceException e) {
      throw new CommandFailure(ExitCode.USAGE, what + ": " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCode.INTERRUPTED;
    }
  }

  /** Reviews and results of evaluations come in the shape of the contract only. */
  private static List<TopicSpec> written(Topics topics, boolean contract) {
    Set<String> names =
        new HashSet<>(
            List.of(
                topics.requests(),
                topics.scores(),
                topics.servingEvents(),
                topics.configs(),
                topics.deadLetters()));
    if (contract) {
      names.addAll(List.of(topics.reviews(), topics.evals()));
    }
    return topics.all().stream().filter(spec -> names.contains(spec.name())).toList();
  }

  private void follow(Map<String, String> kafka, Topics topics, StopSignal signal, boolean json)
      throws IOException, UnfitSourceException {
    try (EventPublisher publisher =
            new EventPublisher(
                PublisherSettings.defaults(kafka.getOrDefault("bootstrap.servers", ""))
                    .withKafka(kafka),
                topics);
        Following followed = source.open(publisher)) {
      context.terminal().err().println("servedrift: following " + what);
      context.terminal().err().flush();
      try (Progress progress = context.progress(unit + " read")) {
        followed.run(
            () -> {
              show(followed, progress);
              return signal.isStopped();
            },
            () -> pause(signal));
      }
      print(followed.counts(), json);
    }
  }

  private static void show(Following followed, Progress progress) {
    progress.updateLeft(followed.lines(), followed.behind());
  }

  private static void pause(StopSignal signal) {
    try {
      signal.await(PAUSE);
    } catch (InterruptedException e) {
      signal.stop(ExitCode.INTERRUPTED);
      Thread.currentThread().interrupt();
    }
  }

  private void print(FollowCounts counts, boolean json) {
    PrintWriter out = context.terminal().out();
    if (json) {
      ObjectNode document = JsonOutput.document();
      document.put(unit, counts.lines()).put("published", counts.published());
      ReadReport.counts(document.putObject("published_by_topic"), counts.publishedByTopic());
      ReadReport.counts(document.putObject("rejected_by_reason"), counts.rejected());
      ReadReport.counts(document.putObject("skipped_by_reason"), counts.skipped());
      ReadReport.counts(document.putObject("notes"), counts.notes());
      JsonOutput.print(document, out);
      return;
    }
    out.printf(
        Locale.ROOT, "%,d %s read, %,d published%n", counts.lines(), unit, counts.published());
    each(out, "to", counts.publishedByTopic());
    each(out, "rejected", counts.rejected());
    each(out, "skipped", counts.skipped());
    each(out, "note", counts.notes());
  }

  private static void each(PrintWriter out, String what, Map<String, Long> counts) {
    new TreeMap<>(counts)
        .forEach((name, count) -> out.printf(Locale.ROOT, "  %s %s: %,d%n", what, name, count));
  }
}
