package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.Arm;
import io.servedrift.monitors.gate.Regime;
import io.servedrift.monitors.gate.Side;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Does one step of a plan. One at a time. */
final class StepRunner {
  private static final double NANOS = 1e9;

  private final RunOptions options;
  private final Function<Side, Endpoint> endpoints;
  private final @Nullable RecordedTraffic traffic;
  private final Timeline timeline;
  private final RateLimit limit;
  private final AnswerMaker answers;
  private final String runId;
  private final BooleanSupplier stopped;
  private final Runnable progress;
  private final AtomicLong asked = new AtomicLong();

  /**
   * For one run.
   *
   * @param traffic recorded traffic whose arrivals are replayed; null for none
   * @param stopped whether to give up
   * @param progress told of each answer, on any thread
   */
  StepRunner(
      RunOptions options,
      Function<Side, Endpoint> endpoints,
      @Nullable RecordedTraffic traffic,
      Timeline timeline,
      AnswerMaker answers,
      String runId,
      BooleanSupplier stopped,
      Runnable progress) {
    this.options = options;
    this.endpoints = endpoints;
    this.traffic = traffic;
    this.timeline = timeline;
    this.limit = new RateLimit(timeline, options.ratePerSecond());
    this.answers = answers;
    this.runId = runId;
    this.stopped = stopped;
    this.progress = progress;
  }

  /**
   * Does it. After a stop the answers are not whole.
   *
   * @param peakPerSecond arrival rate of load 1.0
   */
  List<Answer> run(Step step, double peakPerSecond) throws InterruptedException, IOException {
    Side side = step.side();
    if (side == null) {
      return inTurn(step);
    }
    return switch (step.regime()) {
      case PRODUCTION, PRODUCTION_AGAIN -> production(step, side);
      case REUSE -> reuse(step, side);
      case RECOMPUTE, RECOMPUTE_AGAIN -> recompute(step, side);
      case FIXED_CONCURRENCY -> fixed(step, side);
      case OPEN_LOOP -> open(step, side, peakPerSecond);
      default -> throw new IllegalArgumentException(step.id() + ": is no step of its own");
    };
  }

  /** Asks both sides for each prompt, one request at a time, in an order that is drawn. */
  private List<Answer> inTurn(Step step) throws InterruptedException, IOException {
    SplittableRandom random = random(step.id());
    List<Answer> all = new ArrayList<>();
    for (GatePrompt prompt : step.prompts()) {
      boolean oldFirst = random.nextBoolean();
      for (Side side : oldFirst ? Side.values() : new Side[] {Side.NEW, Side.OLD}) {
        if (stopped.getAsBoolean()) {
          return all;
        }
        Item item = new Item(prompt, seed(prompt), Dialect.Mode.CLEAN, true);
        all.addAll(alone(step, side, List.of(item)));
      }
    }
    return all;
  }

  /** One request in flight; the cache is emptied before each when that is the only way. */
  private List<Answer> alone(Step step, Side side, List<Item> items)
      throws InterruptedException, IOException {
    Endpoint endpoint = endpoints.apply(side);
    List<Answer> all = new ArrayList<>();
    for (Item item : items) {
      if (stopped.getAsBoolean()) {
        return all;
      }
      if (endpoint.profile().caches() && !endpoint.profile().cacheBypass()) {
        endpoint.flush();
      }
      all.addAll(closed(step, side, 1, Sources.each(List.of(item))));
    }
    return all;
  }

  private List<Answer> closed(Step step, Side side, int concurrency, ClosedLoop.Source source)
      throws InterruptedException, IOException {
    Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    closedLoop(side).run(concurrency, source, keep(sent));
    return read(step, side, sent);
  }

  private ClosedLoop closedLoop(Side side) {
    return new ClosedLoop(timeline, limit, ask(endpoints.apply(side)), stopped);
  }

  private Consumer<Sent> keep(Queue<Sent> sent) {
    return one -> {
      if (one.item().measured()) {
        sent.add(one);
      }
      progress.run();
    };
  }

  /** Outputs are looked at when the step is over, so that this takes nothing from the load. */
  private List<Answer> read(Step step, Side side, Queue<Sent> sent) throws IOException {
    List<Answer> all = new ArrayList<>();
    for (Sent one : sent) {
      all.add(
          answers.of(
              one,
              endpoints.apply(side).dialect(),
              new Arm(side, step.regime()),
              step.block(),
              step.load(),
              true));
    }
    return all;
  }

  private Ask ask(Endpoint endpoint) {
    return item ->
        endpoint.send(
            endpoint
                .dialect()
                .call(
                    item.prompt(),
                    item.seed(),
                    item.mode(),
                    "gate-" + runId + "-" + asked.incrementAndGet()));
  }

  /**
   * Production's company: at the arrivals of recorded traffic, or at its concurrency. As many
   * prompts as traffic repeats are asked for once before they are measured.
   */
  private List<Answer> production(Step step, Side side) throws InterruptedException, IOException {
    SplittableRandom random = random(step.id());
    List<Item> items = mixed(step, random);
    if (traffic == null || traffic.gapsSeconds().isEmpty()) {
      ClosedLoop.Source source =
          Sources.inCompany(items, Sources.drawn(step.prompts(), random, false));
      return closed(step, side, step.concurrency(), source);
    }
    long[] arrivals = ArrivalSchedule.stretch(traffic.gapsSeconds(), items.size(), random);
    Queue<Sent> sent = new ConcurrentLinkedQueue<>();
    new OpenLoop(timeline, ask(endpoints.apply(side)), stopped).run(arrivals, items, keep(sent));
    return read(step, side, sent);
  }

  /** The prompts in an order that is drawn, so that each run puts them in other company. */
  private List<Item> mixed(Step step, SplittableRandom random) {
    List<GatePrompt> order = new ArrayList<>(step.prompts());
    PromptSample.shuffle(order, random);
    double repeated = traffic == null ? 0 : traffic.profile().repeatShare();
    // Which prompts are repeated follows from the prompt, so that both sides and runs repeat the
    // same ones.
    List<Item> first = new ArrayList<>();
    List<Item> items = new ArrayList<>();
    for (GatePrompt prompt : order) {
      if (random("repeat " + prompt.index()).nextDouble() < repeated) {
        int other = random.nextInt(Integer.MAX_VALUE);
        first.add(new Item(prompt, other, Dialect.Mode.PRODUCTION, false));
      }
      items.add(new Item(prompt, seed(prompt), Dialect.Mode.PRODUCTION, true));
    }
    first.addAll(items);
    return first;
  }

  private List<Answer> reuse(Step step, Side side) throws InterruptedException, IOException {
    SplittableRandom random = random(step.id());
    List<Item> priming = new ArrayList<>();
    for (GatePrompt prompt : step.prompts()) {
      int other = random.nextInt(Integer.MAX_VALUE);
      priming.add(new Item(prompt, other, Dialect.Mode.CACHED, false));
    }
    closed(step, side, 1, Sources.each(priming));
    return inCompany(step, side, Dialect.Mode.CACHED, random);
  }

  private List<Answer> recompute(Step step, Side side) throws InterruptedException, IOException {
    if (!endpoints.apply(side).profile().cacheBypass()) {
      return alone(step, side, items(step.prompts(), Dialect.Mode.CACHED));
    }
    return inCompany(step, side, Dialect.Mode.CLEAN, random(step.id()));
  }

  private List<Answer> inCompany(Step step, Side side, Dialect.Mode mode, SplittableRandom random)
      throws InterruptedException, IOException {
    List<GatePrompt> order = new ArrayList<>(step.prompts());
    PromptSample.shuffle(order, random);
    ClosedLoop.Source source =
        Sources.inCompany(
            items(order, mode),
            () -> {
              GatePrompt drawn = order.get(random.nextInt(order.size()));
              return new Item(drawn, random.nextInt(Integer.MAX_VALUE), mode, false);
            });
    return closed(step, side, step.concurrency(), source);
  }

  private List<Item> items(List<GatePrompt> prompts, Dialect.Mode mode) {
    return prompts.stream().map(one -> new Item(one, seed(one), mode, true)).toList();
  }

  private List<Answer> fixed(Step step, Side side) throws InterruptedException {
    Queue<Answer> all = new ConcurrentLinkedQueue<>();
    long end = timeline.nanos() + options.block().toNanos();
    ClosedLoop.Source source =
        Sources.until(end, timeline, Sources.drawn(step.prompts(), random(loadSeed(step)), true));
    closedLoop(side).run(step.concurrency(), source, lightly(step, side, all));
    return List.copyOf(all);
  }

  /** Old and new get the same requests at the same times. */
  private List<Answer> open(Step step, Side side, double peakPerSecond)
      throws InterruptedException {
    SplittableRandom random = random(loadSeed(step));
    double load = step.load() == null ? 1 : step.load();
    double seconds = options.block().toNanos() / NANOS;
    long[] arrivals =
        traffic == null || traffic.gapsSeconds().isEmpty()
            ? ArrivalSchedule.poisson(load * peakPerSecond, seconds, random)
            : ArrivalSchedule.recorded(traffic.gaps(), load * peakPerSecond, seconds, random);
    var drawn = Sources.drawn(step.prompts(), random, true);
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < arrivals.length; i++) {
      items.add(drawn.get());
    }
    Queue<Answer> all = new ConcurrentLinkedQueue<>();
    new OpenLoop(timeline, ask(endpoints.apply(side)), stopped)
        .run(arrivals, items, lightly(step, side, all));
    return List.copyOf(all);
  }

  private static String loadSeed(Step step) {
    return step.regime().label() + " " + step.load() + " " + step.block();
  }

  private Consumer<Sent> lightly(Step step, Side side, Queue<Answer> all) {
    Dialect dialect = endpoints.apply(side).dialect();
    return lightly(dialect, new Arm(side, step.regime()), step.block(), step.load(), all);
  }

  /** Reads each answer as it arrives, and keeps no output. */
  private Consumer<Sent> lightly(
      Dialect dialect, Arm arm, int block, @Nullable Double load, Queue<Answer> all) {
    return one -> {
      try {
        all.add(answers.of(one, dialect, arm, block, load, false));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      progress.run();
    };
  }

  /** Requests through an address that is not one of the two sides, for the way back. */
  List<Answer> afterFlip(Endpoint through, List<GatePrompt> prompts, int requests)
      throws InterruptedException, IOException {
    SplittableRandom random = random("after flip");
    List<Item> items = new ArrayList<>();
    var drawn = Sources.drawn(prompts, random, true);
    for (int i = 0; i < requests; i++) {
      items.add(drawn.get());
    }
    Queue<Answer> all = new ConcurrentLinkedQueue<>();
    Consumer<Sent> reading = lightly(through.dialect(), Arm.old(Regime.AFTER_FLIP), 0, null, all);
    new ClosedLoop(timeline, limit, ask(through), stopped)
        .run(options.typicalConcurrency(), Sources.each(items), reading);
    return List.copyOf(all);
  }

  /** An ask of its own for load during the way back. */
  Ask askThrough(Endpoint endpoint) {
    return ask(endpoint);
  }

  private SplittableRandom random(String of) {
    return new SplittableRandom(Seeds.of(options.seed(), of));
  }

  private long seed(GatePrompt prompt) {
    return prompt.seed() == null
        ? Seeds.of(options.seed(), "prompt " + prompt.index()) & Integer.MAX_VALUE
        : prompt.seed();
  }
}
