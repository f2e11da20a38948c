package io.servedrift.monitors.gate.run;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What closed loops ask. */
final class Sources {
  private Sources() {}

  /** Each item once. */
  static ClosedLoop.Source each(List<Item> items) {
    Deque<Item> left = new ArrayDeque<>(items);
    return new ClosedLoop.Source() {
      @Override
      public synchronized @Nullable Item next() {
        return left.poll();
      }
    };
  }

  /**
   * Each item once, and others until the last of the measured ones is answered, so that it is made
   * in the company of production and not alone at the end.
   */
  static ClosedLoop.Source inCompany(List<Item> items, Supplier<Item> others) {
    Deque<Item> left = new ArrayDeque<>(items);
    int measured = (int) items.stream().filter(Item::measured).count();
    return new ClosedLoop.Source() {
      private int unanswered = measured;

      @Override
      public synchronized @Nullable Item next() {
        if (unanswered == 0) {
          return null;
        }
        Item item = left.poll();
        return item == null ? others.get() : item;
      }

      @Override
      public synchronized void answered(Item item) {
        if (item.measured()) {
          unanswered--;
        }
      }

      @Override
      public synchronized boolean isOver() {
        return unanswered == 0;
      }
    };
  }

  /** Items until a reading of the timeline. */
  static ClosedLoop.Source until(long nanos, Timeline timeline, Supplier<Item> items) {
    return new ClosedLoop.Source() {
      @Override
      public synchronized @Nullable Item next() {
        return timeline.nanos() - nanos < 0 ? items.get() : null;
      }
    };
  }

  /** Prompts drawn at random with fresh seeds. */
  static Supplier<Item> drawn(List<GatePrompt> prompts, SplittableRandom random, boolean measured) {
    return () ->
        new Item(
            prompts.get(random.nextInt(prompts.size())),
            random.nextInt(Integer.MAX_VALUE),
            Dialect.Mode.PRODUCTION,
            measured);
  }
}
