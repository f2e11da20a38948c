package io.servedrift.monitors.gate.report;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.Arm;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.Regime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Two kept outputs for one prompt and seed at production composition, in an order that says nothing
 * about who made which.
 *
 * @param left what is shown on the left
 * @param right what is shown on the right
 */
record OutputPair(Answer left, Answer right) {

  /** What a pair is found by. */
  private record Key(int prompt, long seed) {}

  /**
   * Pairs drawn for a sheet, and how many were left out because a human could see no difference.
   *
   * @param pairs in the order of the sheet
   * @param identical pairs with equal outputs, which are not shown
   */
  record Drawn(List<OutputPair> pairs, int identical) {}

  /**
   * Draws pairs whose outputs were kept and differ.
   *
   * @param most of them at most
   * @param seed decides which, in which order, and which side is left
   */
  static Drawn draw(Evidence evidence, int most, long seed) {
    Map<Key, Answer> old = kept(evidence, Arm.old(Regime.PRODUCTION));
    Map<Key, Answer> fresh = kept(evidence, Arm.fresh(Regime.PRODUCTION));
    List<Key> differing = new ArrayList<>();
    int identical = 0;
    for (Map.Entry<Key, Answer> one : old.entrySet()) {
      Answer other = fresh.get(one.getKey());
      if (other != null && same(one.getValue(), other)) {
        identical++;
      } else if (other != null) {
        differing.add(one.getKey());
      }
    }
    differing.sort(Comparator.comparingInt(Key::prompt).thenComparingLong(Key::seed));
    Random random = new Random(seed);
    Collections.shuffle(differing, random);
    List<OutputPair> pairs = new ArrayList<>();
    for (Key key : differing.subList(0, Math.min(most, differing.size()))) {
      Answer first = known(old.get(key));
      Answer second = known(fresh.get(key));
      pairs.add(
          random.nextBoolean() ? new OutputPair(first, second) : new OutputPair(second, first));
    }
    return new Drawn(pairs, identical);
  }

  private static Map<Key, Answer> kept(Evidence evidence, Arm arm) {
    Map<Key, Answer> kept = new HashMap<>();
    for (Answer answer : evidence.answers()) {
      if (answer.arm().equals(arm) && answer.ok() && file(answer) != null) {
        kept.putIfAbsent(new Key(answer.prompt().index(), answer.prompt().seed()), answer);
      }
    }
    return kept;
  }

  private static boolean same(Answer one, Answer other) {
    String digest = one.output() == null ? null : one.output().digest();
    return digest != null && other.output() != null && digest.equals(other.output().digest());
  }

  /** Where the output of an answer is kept. */
  static @Nullable String file(Answer answer) {
    return answer.output() == null ? null : answer.output().file();
  }

  private static Answer known(@Nullable Answer answer) {
    if (answer == null) {
      throw new IllegalStateException("a drawn pair has both answers");
    }
    return answer;
  }
}
