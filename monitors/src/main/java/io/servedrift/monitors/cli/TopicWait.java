package io.servedrift.monitors.cli;

import io.servedrift.ingest.topics.BrokerUnreachableException;
import io.servedrift.ingest.topics.TopicDifference;
import io.servedrift.ingest.topics.TopicProvisioner;
import io.servedrift.schemas.TopicSpec;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Waits for topics that are written to: a monitor that is started beside may be making them, or
 * still be starting the broker that holds them, and what is sent to a topic that is not there is
 * dropped, or sent again without end.
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
   * @throws BrokerUnreachableException when the broker has not answered by then
   */
  void await(Collection<TopicSpec> topics, StopSignal signal) throws InterruptedException {
    long end = System.nanoTime() + longest.toNanos();
    try (TopicProvisioner provisioner = TopicProvisioner.connect(kafka)) {
      Lack told = null;
      for (Lack lack = lack(provisioner, topics, end);
          lack != null;
          lack = lack(provisioner, topics, end)) {
        if (told == null || told.getClass() != lack.getClass()) {
          context.terminal().err().println("servedrift: waiting for " + lack.text());
          context.terminal().err().flush();
          told = lack;
        }
        if (lack instanceof Missing missing && over(end)) {
          throw new CommandFailure(
              ExitCode.UNREACHABLE,
              "the topics "
                  + missing.topics()
                  + " are not there, after "
                  + longest.toSeconds()
                  + " s; create them with topics --apply, or start run first. Nothing was read",
              null);
        }
        if (signal.await(BETWEEN_LOOKS) != null) {
          return;
        }
      }
    }
  }

  private static boolean over(long end) {
    return System.nanoTime() - end >= 0;
  }

  /** What is not there yet. */
  private sealed interface Lack {
    String text();
  }

  private record Missing(List<String> topics) implements Lack {
    @Override
    public String text() {
      return "the topics " + topics + ", which are not there yet";
    }
  }

  private record Silent() implements Lack {
    @Override
    public String text() {
      return "the broker, which does not answer yet";
    }
  }

  private static @Nullable Lack lack(
      TopicProvisioner provisioner, Collection<TopicSpec> topics, long end) {
    try {
      List<String> missing = missing(provisioner, topics);
      return missing.isEmpty() ? null : new Missing(missing);
    } catch (BrokerUnreachableException e) {
      if (over(end)) {
        throw e;
      }
      return new Silent();
    }
  }

  private static List<String> missing(TopicProvisioner provisioner, Collection<TopicSpec> topics) {
    return provisioner.check(topics).stream()
        .filter(difference -> difference.kind() == TopicDifference.Kind.MISSING)
        .map(TopicDifference::topic)
        .toList();
  }
}
