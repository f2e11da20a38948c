package io.servedrift.monitors.cli;

import io.servedrift.ingest.topics.TopicDifference;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.TopicSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Waits for topics that are written to: a monitor that is started beside may be making them, and
 * what is sent to a topic that is not there is dropped, or sent again without end.
 */
final class TopicWait {
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  private final CommandContext context;
  private final Map<String, String> kafka;
  private final Duration longest;

  /**
   * @param kafka client settings
   * @param longest how long is waited
   */
  TopicWait(CommandContext context, Map<String, String> kafka, Duration longest) {
    this.context = context;
    this.kafka = kafka;
    this.longest = longest;
  }

  /**
   * Waits until all are there or a signal comes.
   *
   * @throws CommandFailure when they are not there in time
   */
  void await(Collection<TopicSpec> topics, StopSignal signal) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
      List<String> missing = missing(provisioner, topics);
      if (!missing.isEmpty()) {
        context
            .terminal()
            .err()
            .println("servedrift: waiting for the topics " + missing + ", which are not there yet");
        context.terminal().err().flush();
      }
      while (!missing.isEmpty()) {
        if (System.nanoTime() - end >= 0) {
          throw new CommandFailure(
              ExitCode.UNREACHABLE,
              "the topics "
                  + missing
                  + " are not there, after "
                  + longest.toSeconds()
                  + " s; create them with topics --apply, or start run first. Nothing was read",
              null);
        }
        if (signal.await(BETWEEN_LOOKS) != null) {
          return;
        }
        missing = missing(provisioner, topics);
      }
    }
  }

  private static List<String> missing(TopicProvisioner provisioner, Collection<TopicSpec> topics) {
    return provisioner.check(topics).stream()
        .filter(difference -> difference.kind() == TopicDifference.Kind.MISSING)
        .map(TopicDifference::topic)
        .toList();
  }
}
