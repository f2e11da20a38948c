package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.AnswerStatus;
import io.servedrift.monitors.gate.Arm;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes an answer of what was sent and what came back. Thread-safe. */
final class AnswerMaker {
  private static final double NANOS = 1e9;

  private final Timeline timeline;
  private final OutputFolder outputs;

  AnswerMaker(Timeline timeline, OutputFolder outputs) {
    this.timeline = timeline;
    this.outputs = outputs;
  }

  /**
   * Reads a reply.
   *
   * @param whole whether the output is kept and compared later; else only that there is one counts
   */
  Answer of(Sent sent, Dialect dialect, Arm arm, int block, @Nullable Double load, boolean whole)
      throws IOException {
    Reply reply = sent.reply();
    AnswerContent content =
        reply.ok() ? dialect.read(reply, whole) : AnswerContent.wrong(reply.codeOfFailure());
    boolean good = content.error() == null;
    GatePrompt prompt = sent.item().prompt();
    Map<String, Double> scores = new TreeMap<>();
    Map<String, String> scorers = new TreeMap<>();
    if (good && whole && content.text() != null && prompt.expected() != null) {
      scores.putAll(prompt.expected().scores(content.text()));
      scores.keySet().forEach(name -> scorers.put(name, Expectation.SCORER));
    }
    return new Answer(
        arm,
        block,
        load,
        new Answer.Prompt(prompt.index(), prompt.hash(), prompt.promptClass(), sent.item().seed()),
        good || !reply.ok() ? reply.ended() : AnswerStatus.ERROR,
        content.error(),
        timing(sent, content),
        good ? output(content, whole) : null,
        scores,
        scorers,
        new Answer.Served(
            content.served().batchSize(),
            content.served().cacheHit(),
            content.served().computeSeconds(),
            sent.inFlight()));
  }

  private Answer.Timing timing(Sent sent, AnswerContent content) {
    long done = sent.reply().doneNanos();
    Long first = content.firstTokenNanos();
    return new Answer.Timing(
        timeline.epochMicros(sent.scheduledNanos()),
        timeline.epochMicros(sent.sentNanos()),
        (done - sent.scheduledNanos()) / NANOS,
        (done - sent.sentNanos()) / NANOS,
        first == null ? null : (first - sent.scheduledNanos()) / NANOS);
  }

  private Answer.@Nullable Output output(AnswerContent content, boolean whole) throws IOException {
    String digest = content.digest();
    byte[] file = content.file();
    if (!whole || digest == null || file == null) {
      return null;
    }
    String name = outputs.keep(digest, file, content.text() == null);
    return new Answer.Output(digest, name, content.tokens());
  }
}
