package io.servedrift.monitors.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Something that happens to a deployment, with what it truly is. Faults compose: a scenario takes
 * any number of them, and the first one that is a fault gives the truth. Immutable.
 */
public final class Fault {
  private final String name;
  private final String pattern;
  private final Truth truth;
  private final Duration onset;
  private final List<Consumer<ServingSimulator>> injections;

  /**
   * @param name short, unique in a table
   * @param pattern what it imitates, with the numbers of the incidents
   * @param truth the right verdict
   * @param onset from the start of the simulation
   */
  Fault(String name, String pattern, Truth truth, Duration onset) {
    this(name, pattern, truth, onset, List.of());
  }

  private Fault(
      String name,
      String pattern,
      Truth truth,
      Duration onset,
      List<Consumer<ServingSimulator>> injections) {
    this.name = name;
    this.pattern = pattern;
    this.truth = truth;
    this.onset = onset;
    this.injections = List.copyOf(injections);
  }

  /** The same with one more thing that happens. */
  Fault and(Consumer<ServingSimulator> injection) {
    List<Consumer<ServingSimulator>> more = new ArrayList<>(injections);
    more.add(injection);
    return new Fault(name, pattern, truth, onset, more);
  }

  /** The same that also acts on the outcome of every request from the onset on. */
  public Fault andOutcomes(ServingSimulator.Effect effect) {
    return and(simulator -> simulator.onFinish(onset, FOR_EVER, effect));
  }

  static final Duration FOR_EVER = Duration.ofDays(36_500);

  void install(ServingSimulator simulator) {
    injections.forEach(injection -> injection.accept(simulator));
  }

  /** Name in tables. */
  public String name() {
    return name;
  }

  /** What it imitates. */
  public String pattern() {
    return pattern;
  }

  /** The right verdict. */
  public Truth truth() {
    return truth;
  }

  /** When it begins, from the start of the simulation. */
  public Duration onset() {
    return onset;
  }

  @Override
  public String toString() {
    return name + " at " + onset;
  }
}
