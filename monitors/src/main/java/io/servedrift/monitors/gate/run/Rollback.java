package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.RollbackEvidence;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way back, tried: under load the new side is left for the old one, by the operator's command
 * behind an address or, without one, by changing the address that is asked. Requests in flight must
 * survive, and what serves then must be what served before. One at a time.
 */
final class Rollback {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Duration LONGEST_START = Duration.ofSeconds(30);

  /**
   * What it needs.
   *
   * @param before the old side as it was recorded before the run
   * @param wanted the new side's configuration, by which the flip to it is seen
   * @param through what clients ask: the switched address, or the new side without a command
   * @param back what clients ask after the way back: the switched address, or the old side
   * @param facts asks {@code back} what it is
   * @param command switches; null for changing the address
   * @param prompts to make load with
   */
  record Setting(
      EndpointFacts before,
      EndpointFacts wanted,
      Endpoint through,
      Endpoint back,
      Supplier<FactsReader.Found> facts,
      @Nullable FlipCommand command,
      List<GatePrompt> prompts) {}

  /** The evidence, with the answers after it. */
  record Done(RollbackEvidence evidence, List<Answer> answers) {}

  private final RunOptions options;
  private final StepRunner runner;
  private final Timeline timeline;
  private final BooleanSupplier stopped;
  private final List<String> problems = new ArrayList<>();

  Rollback(RunOptions options, StepRunner runner, Timeline timeline, BooleanSupplier stopped) {
    this.options = options;
    this.runner = runner;
    this.timeline = timeline;
    this.stopped = stopped;
  }

  Done run(Setting setting) throws InterruptedException, IOException {
    String how = setting.command() == null ? "address switch" : "flip command";
    if (setting.command() != null && !forward(setting, setting.command())) {
      backAnyway(setting.command());
      return new Done(
          new RollbackEvidence(true, how, setting.before(), null, 0, 0, problems), List.of());
    }
    Flipped flipped = underLoad(setting);
    List<Answer> answers =
        stopped.getAsBoolean()
            ? List.of()
            : runner.afterFlip(setting.back(), setting.prompts(), options.afterFlip());
    FactsReader.Found after = setting.facts().get();
    if (!after.reached()) {
      problems.add("nothing answers after the way back");
    }
    EndpointFacts facts = after.reached() ? after.facts() : null;
    return new Done(
        new RollbackEvidence(
            true, how, setting.before(), facts, flipped.inFlight, flipped.lost, problems),
        answers);
  }

  /** Makes sure that the switched address serves the new side. */
  private boolean forward(Setting setting, FlipCommand command) throws InterruptedException {
    String failure = command.run(Side.NEW);
    if (failure != null) {
      problems.add(failure);
      return false;
    }
    if (!serves(setting, setting.wanted())) {
      problems.add("the switched address did not serve the new configuration in time");
      return false;
    }
    return true;
  }

  private void backAnyway(FlipCommand command) throws InterruptedException {
    String failure = command.run(Side.OLD);
    if (failure != null) {
      problems.add(failure);
    }
  }

  /** Waits until the address serves a configuration. */
  private boolean serves(Setting setting, EndpointFacts wanted) throws InterruptedException {
    long end = timeline.nanos() + options.flipLimit().toNanos();
    while (true) {
      FactsReader.Found found = setting.facts().get();
      String id = found.facts().configId();
      if (found.reached() && id != null && id.equals(wanted.configId())) {
        return true;
      }
      if (timeline.nanos() - end >= 0 || stopped.getAsBoolean()) {
        return false;
      }
      timeline.sleepUntil(timeline.nanos() + LOOK_NANOS);
    }
  }

  private record Flipped(int inFlight, int lost) {}

  private Flipped underLoad(Setting setting) throws InterruptedException {
    AtomicBoolean back = new AtomicBoolean();
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger begun = new AtomicInteger();
    Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    Thread load =
        new Thread(() -> load(setting, back, over, begun, sent), "servedrift-gate-flip-load");
    load.setDaemon(true);
    load.start();
    long flipBegins;
    long flipEnds;
    try {
      awaitLoad(begun);
      flipBegins = timeline.nanos();
      if (setting.command() == null) {
        back.set(true);
      } else {
        backAnyway(setting.command());
        if (!serves(setting, setting.before())) {
          problems.add("the switched address did not serve the old configuration in time");
        }
      }
      flipEnds = timeline.nanos();
    } finally {
      over.set(true);
      load.join();
    }
    int inFlight = 0;
    int lost = 0;
    for (Sent one : sent) {
      boolean during = one.sentNanos() - flipEnds <= 0 && one.reply().doneNanos() - flipBegins >= 0;
      if (during) {
        inFlight++;
        lost += one.reply().ok() ? 0 : 1;
      }
    }
    return new Flipped(inFlight, lost);
  }

  private void awaitLoad(AtomicInteger begun) throws InterruptedException {
    long end = timeline.nanos() + LONGEST_START.toNanos();
    while (begun.get() < options.typicalConcurrency() && timeline.nanos() - end < 0) {
      timeline.sleepUntil(timeline.nanos() + LOOK_NANOS);
    }
  }

  /** Keeps requests in flight until the flip is over; those that are then under way are awaited. */
  private void load(
      Setting setting,
      AtomicBoolean back,
      AtomicBoolean over,
      AtomicInteger begun,
      Queue<Sent> sent) {
    SplittableRandom random = new SplittableRandom(Seeds.of(options.seed(), "flip"));
    Supplier<Item> drawn = Sources.drawn(setting.prompts(), random, true);
    ClosedLoop.Source source =
        new ClosedLoop.Source() {
          @Override
          public synchronized @Nullable Item next() {
            begun.incrementAndGet();
            return over.get() ? null : drawn.get();
          }
        };
    try {
      new ClosedLoop(
              timeline,
              new RateLimit(timeline, options.ratePerSecond()),
              item -> runner.askThrough(back.get() ? setting.back() : setting.through()).ask(item),
              stopped)
          .run(options.typicalConcurrency(), source, sent::add);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
