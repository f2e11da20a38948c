package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.RollbackEvidence;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The way back, tried: under load the new side is left for the old one, by the operator's command
 * behind an address or, without one, by changing the address that is asked. Requests in flight must
 * survive, and what serves then must be what served before. Once the new side was switched to, the
 * old one is switched back to whatever happens, a stop included. One at a time.
 */
final class Rollback {
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final Duration LONGEST_START = Duration.ofSeconds(30);

  /** A Ctrl-C at a terminal ends the operator's command too, so one try is not enough. */
  private static final int TRIES = 3;

  /**
   * What it needs.
   *
   * @param before the old side as it was recorded before the run
   * @param wanted the new side's configuration, by which the flip to it is seen
   * @param through what clients ask: the switched address, or the new side without a command
   * @param back what clients ask after the way back: the switched address, or the old side
   * @param facts asks {@code back} what it is, taken for the old side
   * @param factsOfNew the same, taken for the new side
   * @param command switches; null for changing the address
   * @param prompts to make load with
   */
  record Setting(
      EndpointFacts before,
      EndpointFacts wanted,
      Endpoint through,
      Endpoint back,
      Supplier<FactsReader.Found> facts,
      Supplier<FactsReader.Found> factsOfNew,
      @Nullable FlipCommand command,
      List<GatePrompt> prompts) {}

  /** The evidence, with the answers after it. */
  record Done(RollbackEvidence evidence, List<Answer> answers) {}

  private final RunOptions options;
  private final StepRunner runner;
  private final Timeline timeline;
  private final BooleanSupplier stopped;
  private final Consumer<String> said;
  private final List<String> problems = new ArrayList<>();
  private boolean onOld = true;

  /**
   * For one run.
   *
   * @param said told what an operator must know at once
   */
  Rollback(
      RunOptions options,
      StepRunner runner,
      Timeline timeline,
      BooleanSupplier stopped,
      Consumer<String> said) {
    this.options = options;
    this.runner = runner;
    this.timeline = timeline;
    this.stopped = stopped;
    this.said = said;
  }

  /** Whether clients are where they were before, as far as is known. */
  boolean isOnOld() {
    return onOld;
  }

  Done run(Setting setting) throws InterruptedException, IOException {
    FlipCommand command = setting.command();
    if (command == null) {
      return wayBack(setting, "address switch");
    }
    String how = "flip command";
    if (isThere(setting, Side.NEW) && isThere(setting, Side.OLD)) {
      problems.add(
          "old and new have the same configuration and model: a flip between them is not seen");
      return untried(setting, how);
    }
    onOld = false;
    try {
      List<String> wayThere = forward(setting, command);
      if (wayThere.isEmpty()) {
        return wayBack(setting, how);
      }
      restore(setting, command);
      problems.addAll(0, wayThere);
      if (onOld) {
        return untried(setting, how);
      }
      return new Done(
          new RollbackEvidence(true, how, setting.before(), after(setting), 0, 0, problems),
          List.of());
    } finally {
      if (!onOld) {
        restore(setting, command);
      }
      if (!onOld) {
        said.accept(
            "WARNING: clients may still be sent to the new side: the flip command did not bring the"
                + " old one back; look at it now");
      }
    }
  }

  private Done untried(Setting setting, String how) {
    return new Done(
        new RollbackEvidence(false, how, setting.before(), null, 0, 0, problems), List.of());
  }

  private Done wayBack(Setting setting, String how) throws InterruptedException, IOException {
    Flipped flipped = underLoad(setting);
    List<Answer> answers =
        stopped.getAsBoolean()
            ? List.of()
            : runner.afterFlip(setting.back(), setting.prompts(), options.afterFlip());
    return new Done(
        new RollbackEvidence(
            true, how, setting.before(), after(setting), flipped.inFlight, flipped.lost, problems),
        answers);
  }

  private @Nullable EndpointFacts after(Setting setting) {
    FactsReader.Found after = setting.facts().get();
    if (!after.reached()) {
      problems.add("nothing answers after the way back");
    }
    return after.reached() ? after.facts() : null;
  }

  /** Makes sure that the switched address serves the new side; what went wrong. */
  private List<String> forward(Setting setting, FlipCommand command) throws InterruptedException {
    String failure = command.run(Side.NEW);
    if (failure != null) {
      return List.of(failure);
    }
    return serves(setting, Side.NEW)
        ? List.of()
        : List.of("the switched address did not serve the new side in time");
  }

  /** Switches to the old side and looks that it serves, whether or not the gate is to stop. */
  private void restore(Setting setting, FlipCommand command) throws InterruptedException {
    for (int i = 0; i < TRIES && !onOld; i++) {
      String failure = command.run(Side.OLD);
      boolean serves = failure == null && serves(setting, Side.OLD);
      onOld = serves;
      String problem =
          failure == null ? "the switched address did not serve the old side in time" : failure;
      if (!serves && !problems.contains(problem)) {
        problems.add(problem);
      }
    }
    // The command says that it failed, and clients are on the old side nevertheless.
    onOld = onOld || isThere(setting, Side.OLD);
  }

  /** Waits until the address serves a side. */
  private boolean serves(Setting setting, Side side) throws InterruptedException {
    long end = timeline.nanos() + options.flipLimit().toNanos();
    while (!isThere(setting, side)) {
      boolean given = side == Side.NEW && stopped.getAsBoolean();
      if (timeline.nanos() - end >= 0 || given) {
        return false;
      }
      timeline.sleepUntil(timeline.nanos() + LOOK_NANOS);
    }
    return true;
  }

  /** Whether the address serves a side now, by its configuration and its model. */
  private static boolean isThere(Setting setting, Side side) {
    EndpointFacts wanted = side == Side.OLD ? setting.before() : setting.wanted();
    FactsReader.Found found = side == Side.OLD ? setting.facts().get() : setting.factsOfNew().get();
    return found.reached()
        && wanted.configId() != null
        && wanted.configId().equals(found.facts().configId())
        && Objects.equals(wanted.modelId(), found.facts().modelId());
  }

  private record Flipped(int inFlight, int lost) {}

  /** A request of the load; its body is read as it arrives and not kept. */
  private record Asked(long sentNanos, long doneNanos, boolean good) {}

  private static Asked asked(Sent sent, Dialect dialect) {
    Reply reply = sent.reply();
    // A stream may break off, or end in an error, behind a good status.
    boolean good = reply.ok() && dialect.read(reply, false).error() == null;
    return new Asked(sent.sentNanos(), reply.doneNanos(), good);
  }

  private Flipped underLoad(Setting setting) throws InterruptedException {
    AtomicBoolean back = new AtomicBoolean();
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger begun = new AtomicInteger();
    Queue<Asked> sent = new ConcurrentLinkedQueue<>();
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
        restore(setting, setting.command());
      }
      flipEnds = timeline.nanos();
    } finally {
      over.set(true);
      load.join();
    }
    int inFlight = 0;
    int lost = 0;
    for (Asked one : sent) {
      boolean during = one.sentNanos() - flipEnds <= 0 && one.doneNanos() - flipBegins >= 0;
      if (during) {
        inFlight++;
        lost += one.good() ? 0 : 1;
      }
    }
    return new Flipped(inFlight, lost);
  }

  private void awaitLoad(AtomicInteger begun) throws InterruptedException {
    long end = timeline.nanos() + LONGEST_START.toNanos();
    while (begun.get() < options.typicalConcurrency()
        && timeline.nanos() - end < 0
        && !stopped.getAsBoolean()) {
      timeline.sleepUntil(timeline.nanos() + LOOK_NANOS);
    }
  }

  /** Keeps requests in flight until the flip is over; those that are then under way are awaited. */
  private void load(
      Setting setting,
      AtomicBoolean back,
      AtomicBoolean over,
      AtomicInteger begun,
      Queue<Asked> sent) {
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
          .run(
              options.typicalConcurrency(),
              source,
              one -> sent.add(asked(one, setting.back().dialect())));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
