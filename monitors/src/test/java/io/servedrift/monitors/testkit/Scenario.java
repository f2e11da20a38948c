package io.servedrift.monitors.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.avro.specific.SpecificRecord;

/**
 * A deployment, what happens to it, and the right answer. The first fault gives truth and onset;
 * what follows it is what happens at the same time and must not confuse. Immutable.
 *
 * @param settings the deployment
 * @param faults at least one; the configuration of the start is added by {@link #of}
 */
public record Scenario(SimulatorSettings settings, List<Fault> faults) {
  public Scenario {
    faults = List.copyOf(faults);
    if (faults.isEmpty()) {
      throw new IllegalArgumentException("faults: at least one is needed");
    }
  }

  /** A scenario that starts with the standard configuration and model. */
  public static Scenario of(SimulatorSettings settings, Fault first, Fault... others) {
    List<Fault> all = new ArrayList<>(List.of(first));
    all.addAll(List.of(others));
    all.add(FaultLibrary.baseline());
    return new Scenario(settings, all);
  }

  /** The single-request pipeline that becomes a batching runtime. */
  public static Scenario migration(long seed, Duration onset, Duration length) {
    SimulatorSettings serial =
        SimulatorSettings.image(seed, length)
            .withLoad(0.63, 3)
            .withDiurnal(0.6)
            .withMemberCost(0.2);
    return new Scenario(serial, List.of(FaultLibrary.migration(onset, 1, 2.05, 0.03)));
  }

  /** Name in tables. */
  public String name() {
    return faults.get(0).name();
  }

  /** The right verdict. */
  public Truth truth() {
    return faults.get(0).truth();
  }

  /** When it begins. */
  public Instant onset() {
    return settings.start().plus(faults.get(0).onset());
  }

  /** When the simulated arrivals end. */
  public Instant end() {
    return settings.start().plus(settings.length());
  }

  /** All events, in event-time order. */
  public List<SpecificRecord> events() {
    return new ServingSimulator(settings, faults).events();
  }

  /** Gives all events in event-time order. */
  public void run(Consumer<SpecificRecord> sink) {
    new ServingSimulator(settings, faults).run(sink);
  }
}
