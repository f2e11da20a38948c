package io.servedrift.serving.fault;

import java.util.EnumSet;
import java.util.Set;

/** Which faults are on, at this moment. Thread-safe. */
public final class Faults {

  private volatile Set<Fault> active;

  /** With these on from the start. */
  public Faults(Set<Fault> active) {
    this.active = Set.copyOf(active);
  }

  /** With none on. */
  public static Faults none() {
    return new Faults(EnumSet.noneOf(Fault.class));
  }

  /** Whether a fault is on. */
  public boolean on(Fault fault) {
    return active.contains(fault);
  }

  /** Those that are on. */
  public Set<Fault> active() {
    return active;
  }

  /** Replaces those that are on. */
  public void set(Set<Fault> faults) {
    active = Set.copyOf(faults);
  }
}
