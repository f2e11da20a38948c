package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.Arm;
import io.servedrift.monitors.gate.ArmPair;
import io.servedrift.monitors.gate.PairDistance;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Measures how far apart outputs for the same prompt and seed are. Not thread-safe. */
final class Distances {
  private final OutputFolder outputs;
  private final Map<String, Embedded> embedded;

  /**
   * For one run.
   *
   * @param embedded what the scorer said, by {@link Scoring#key}
   */
  Distances(OutputFolder outputs, Map<String, Embedded> embedded) {
    this.outputs = outputs;
    this.embedded = embedded;
  }

  /** Takes distances as they are measured. */
  interface Sink {
    /** Whether this one is known already. */
    boolean has(ArmPair pair, int prompt, long seed);

    /** A new one. */
    void add(PairDistance distance) throws IOException;
  }

  /** What was asked: only answers to the same are compared. */
  private record Question(int prompt, long seed) implements Comparable<Question> {
    @Override
    public int compareTo(Question other) {
      int order = Integer.compare(prompt, other.prompt);
      return order == 0 ? Long.compare(seed, other.seed) : order;
    }
  }

  /** Measures all pairs the judge reads that are not known; ends early at a stop. */
  void measure(List<Answer> answers, Sink sink, BooleanSupplier stopped) throws IOException {
    Map<Question, Map<Arm, Answer>> questions = new TreeMap<>();
    for (Answer answer : answers) {
      if (answer.ok() && answer.output() != null) {
        Question question = new Question(answer.prompt().index(), answer.prompt().seed());
        questions.computeIfAbsent(question, key -> new TreeMap<>()).put(answer.arm(), answer);
      }
    }
    for (Map.Entry<Question, Map<Arm, Answer>> one : questions.entrySet()) {
      if (stopped.getAsBoolean()) {
        return;
      }
      of(one.getKey(), one.getValue(), sink);
    }
  }

  private void of(Question question, Map<Arm, Answer> arms, Sink sink) throws IOException {
    Map<String, Picture> pictures = new HashMap<>();
    for (ArmPair pair : ArmPair.judged()) {
      Answer left = arms.get(pair.left());
      Answer right = arms.get(pair.right());
      if (left != null && right != null && !sink.has(pair, question.prompt(), question.seed())) {
        sink.add(between(pair, left, right, pictures));
      }
    }
  }

  private PairDistance between(
      ArmPair pair, Answer left, Answer right, Map<String, Picture> pictures) throws IOException {
    Answer.Output a = left.output();
    Answer.Output b = right.output();
    if (a == null || b == null) {
      throw new IllegalStateException("answers without an output were left out");
    }
    boolean identical = a.digest() != null && a.digest().equals(b.digest());
    List<String> tokensA = a.tokens();
    List<String> tokensB = b.tokens();
    if (tokensA != null && tokensB != null) {
      return new PairDistance(
          pair,
          left.prompt().index(),
          left.prompt().seed(),
          identical,
          null,
          null,
          null,
          TokenDistance.firstDivergence(tokensA, tokensB),
          TokenDistance.share(tokensA, tokensB));
    }
    Double psnr = identical ? Double.POSITIVE_INFINITY : null;
    Double ssim = identical ? 1.0 : null;
    Double cosine = identical ? Double.valueOf(1) : cosine(left, right);
    if (!identical && a.file() != null && b.file() != null) {
      Picture one = picture(a.file(), pictures);
      Picture other = picture(b.file(), pictures);
      if (one.sameSize(other)) {
        psnr = PictureDistance.psnrDb(one, other);
        ssim = PictureDistance.ssim(one, other);
      }
    }
    return new PairDistance(
        pair,
        left.prompt().index(),
        left.prompt().seed(),
        identical,
        psnr,
        ssim,
        cosine,
        null,
        null);
  }

  private Picture picture(String file, Map<String, Picture> pictures) throws IOException {
    Picture known = pictures.get(file);
    if (known == null) {
      known = Picture.decode(outputs.read(file));
      pictures.put(file, known);
    }
    return known;
  }

  private @Nullable Double cosine(Answer left, Answer right) {
    String keyA = Scoring.key(left);
    String keyB = Scoring.key(right);
    Embedded a = keyA == null ? null : embedded.get(keyA);
    Embedded b = keyB == null ? null : embedded.get(keyB);
    return a == null || b == null ? null : PictureDistance.cosine(a.embedding(), b.embedding());
  }
}
