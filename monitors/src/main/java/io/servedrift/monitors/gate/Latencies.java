package io.servedrift.monitors.gate;

import io.servedrift.monitors.stats.LongRunVariance;
import io.servedrift.monitors.stats.NearestRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Latencies of an arm by block, without the first part of every block. A request that got no good
 * answer took longer than any that did: leaving it out would make the slowest vanish, and taking
 * the time of a timeout or of a refusal would measure the client's patience.
 *
 * @param blocks latencies in seconds, each above 0, by number of the block; {@link #NO_ANSWER}
 *     where there was none
 */
record Latencies(SortedMap<Integer, List<Double>> blocks) {
  /** Stands for endless, where a finite number is needed. */
  static final double NO_ANSWER = 1e9;

  private static final double MICROS = 1e6;

  /** The latencies of an arm at a level of the open loop, or of all. */
  static Latencies of(List<Answer> answers, @Nullable Double load, double warmUpSeconds) {
    SortedMap<Integer, List<Answer>> byBlock = new TreeMap<>();
    for (Answer answer : answers) {
      if (load == null || Objects.equals(answer.load(), load)) {
        byBlock.computeIfAbsent(answer.block(), b -> new ArrayList<>()).add(answer);
      }
    }
    SortedMap<Integer, List<Double>> blocks = new TreeMap<>();
    byBlock.forEach(
        (block, all) -> {
          double from =
              all.stream().mapToLong(a -> a.timing().scheduledAtMicros()).min().orElse(0)
                  + warmUpSeconds * MICROS;
          List<Double> kept =
              all.stream()
                  .filter(a -> a.status() != AnswerStatus.CANCELLED)
                  .filter(a -> a.timing().scheduledAtMicros() >= from)
                  .map(a -> a.ok() ? a.timing().latencySeconds() : Double.valueOf(NO_ANSWER))
                  .filter(seconds -> seconds > 0 && seconds <= NO_ANSWER)
                  .sorted()
                  .toList();
          if (!kept.isEmpty()) {
            blocks.put(block, kept);
          }
        });
    return new Latencies(blocks);
  }

  long n() {
    return blocks.values().stream().mapToLong(List::size).sum();
  }

  /** Those that were answered, ascending. */
  double[] answered() {
    return Arrays.stream(sorted()).filter(seconds -> seconds < NO_ANSWER).toArray();
  }

  /** All of them, ascending. */
  double[] sorted() {
    return blocks.values().stream()
        .flatMap(Collection::stream)
        .mapToDouble(Double::doubleValue)
        .sorted()
        .toArray();
  }

  /** The nearest-rank quantile; at least one latency. */
  static double quantile(double[] sorted, double q) {
    return sorted[(int) NearestRank.of(q, sorted.length) - 1];
  }

  /**
   * How much the number of latencies above the common p99 varies between blocks, relative to
   * independent requests; 1 or more. Requests of a block share its queue, so n requests say as much
   * as n / phi independent ones.
   */
  double phi() {
    int number = blocks.size();
    if (number < 2) {
      return 1;
    }
    double threshold = quantile(sorted(), 0.99);
    double[] observed = new double[number];
    double[] sizes = new double[number];
    double above = 0;
    int i = 0;
    for (List<Double> block : blocks.values()) {
      observed[i] = block.stream().filter(s -> s > threshold || s == NO_ANSWER).count();
      sizes[i] = block.size();
      above += observed[i++];
    }
    if (above == 0) {
      return 1;
    }
    double[] expected = new double[number];
    for (int b = 0; b < number; b++) {
      expected[b] = sizes[b] * above / n();
    }
    // The share is estimated from the same blocks: one degree of freedom is gone.
    double freedom = (double) number / (number - 1);
    return Math.max(1, freedom * LongRunVariance.ofCounts(observed, expected, 1));
  }
}
