package io.servedrift.monitors.gate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The answers of a run by arm, in an order of their own, so that nothing depends on the order they
 * came in. What is derived is kept for the next question; for one thread.
 */
final class Answers {
  private static final Comparator<Answer> ORDER =
      Comparator.<Answer>comparingInt(a -> a.prompt().index())
          .thenComparingLong(a -> a.prompt().seed())
          .thenComparingInt(Answer::block)
          .thenComparingLong(a -> a.timing().scheduledAtMicros())
          .thenComparingLong(a -> a.timing().sentAtMicros())
          .thenComparingDouble(a -> a.timing().latencySeconds())
          .thenComparing(Answer::status);

  /** A prompt with its seed: what is asked in every condition. */
  record Key(int prompt, long seed) implements Comparable<Key> {
    private static final Comparator<Key> ORDER =
        Comparator.comparingInt(Key::prompt).thenComparingLong(Key::seed);

    static Key of(Answer answer) {
      return new Key(answer.prompt().index(), answer.prompt().seed());
    }

    @Override
    public int compareTo(Key other) {
      return ORDER.compare(this, other);
    }
  }

  /** What is larger, or not a number, is no score. */
  private static final double LARGEST_SCORE = 1e9;

  private final SortedMap<Arm, List<Answer>> byArm = new TreeMap<>();
  private final Map<Arm, List<Answer>> good = new HashMap<>();
  private final Map<Arm, List<Answer>> compared = new HashMap<>();
  private final Map<Arm, Map<String, SortedMap<Key, Double>>> scores = new HashMap<>();

  Answers(List<Answer> answers) {
    Map<Arm, List<Answer>> arms = new HashMap<>();
    for (Answer answer : answers) {
      arms.computeIfAbsent(answer.arm(), arm -> new ArrayList<>()).add(answer);
    }
    arms.forEach(
        (arm, list) -> {
          list.sort(ORDER);
          byArm.put(arm, Collections.unmodifiableList(list));
        });
  }

  /** The arms that were run, in order. */
  SortedSet<Arm> arms() {
    return new TreeSet<>(byArm.keySet());
  }

  /** All answers of an arm. */
  List<Answer> of(Arm arm) {
    return byArm.getOrDefault(arm, List.of());
  }

  /** Those of an arm that can be used. */
  List<Answer> good(Arm arm) {
    return good.computeIfAbsent(arm, a -> of(a).stream().filter(Answer::ok).toList());
  }

  /**
   * Those that are compared: good, and served as their arm asks. Of reuse these are the hits, or
   * what nobody tells of when no answer tells; of single and recomputed requests what neither used
   * a cache nor, of single ones, shared a batch.
   */
  List<Answer> compared(Arm arm) {
    return compared.computeIfAbsent(
        arm,
        a -> {
          boolean told = good(a).stream().anyMatch(one -> one.served().cacheHit() != null);
          return good(a).stream().filter(one -> asAsked(one, told)).toList();
        });
  }

  private static boolean asAsked(Answer answer, boolean hitsTold) {
    Boolean hit = answer.served().cacheHit();
    Double batch = answer.served().batchSize();
    return switch (answer.arm().regime()) {
      case REUSE -> hit == null ? !hitsTold : hit;
      case RECOMPUTE, RECOMPUTE_AGAIN -> !Boolean.TRUE.equals(hit);
      case SINGLE, SINGLE_AGAIN -> !Boolean.TRUE.equals(hit) && (batch == null || batch <= 1);
      default -> true;
    };
  }

  /** What an arm was asked, with or without an answer, but for what was served otherwise. */
  Set<Key> asked(Arm arm) {
    Set<Key> keys = new HashSet<>();
    compared(arm).forEach(answer -> keys.add(Key.of(answer)));
    for (Answer answer : of(arm)) {
      if (!answer.ok() && answer.status() != AnswerStatus.CANCELLED) {
        keys.add(Key.of(answer));
      }
    }
    return keys;
  }

  /** Names of the scores that answers of either side have in a regime. */
  SortedSet<String> scoreNames(Regime... regimes) {
    SortedSet<String> names = new TreeSet<>();
    for (Side side : Side.values()) {
      for (Regime regime : regimes) {
        compared(new Arm(side, regime)).forEach(a -> names.addAll(a.scores().keySet()));
      }
    }
    return names;
  }

  /** Who gave a score in an arm. */
  SortedSet<String> scorers(Arm arm, String score) {
    SortedSet<String> names = new TreeSet<>();
    for (Answer answer : compared(arm)) {
      String scorer = answer.scorers().get(score);
      if (scorer != null) {
        names.add(scorer);
      }
    }
    return names;
  }

  /** A score of an arm by prompt and seed; the mean where something was asked more than once. */
  SortedMap<Key, Double> scores(Arm arm, String score) {
    return scores
        .computeIfAbsent(arm, a -> new HashMap<>())
        .computeIfAbsent(score, name -> means(compared(arm), name));
  }

  private static SortedMap<Key, Double> means(List<Answer> answers, String score) {
    SortedMap<Key, List<Double>> values = new TreeMap<>();
    for (Answer answer : answers) {
      Double value = answer.scores().get(score);
      if (value != null && Math.abs(value) <= LARGEST_SCORE) {
        values.computeIfAbsent(Key.of(answer), key -> new ArrayList<>(1)).add(value);
      }
    }
    SortedMap<Key, Double> means = new TreeMap<>();
    values.forEach((key, list) -> means.put(key, Numbers.mean(list)));
    return Collections.unmodifiableSortedMap(means);
  }
}
