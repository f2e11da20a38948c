package io.servedrift.serving.fault;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which faults are on, at this moment. Each change is logged as a warning and told to the
 * listeners. Thread-safe.
 */
public final class Faults {

  private static final Logger log = LoggerFactory.getLogger(Faults.class);

  private final List<FaultListener> listeners = new CopyOnWriteArrayList<>();
  private volatile Set<Fault> active;

  /** With these on from the start; logs them. */
  public Faults(Set<Fault> active) {
    this.active = Set.copyOf(active);
    for (Fault fault : inOrder(active)) {
      warn(fault, true);
    }
  }

  /** With none on. */
  public static Faults none() {
    return new Faults(Set.of());
  }

  /** Whether a fault is on. Cheap: one volatile read. */
  public boolean on(Fault fault) {
    return active.contains(fault);
  }

  /** Those that are on. */
  public Set<Fault> active() {
    return active;
  }

  /** Replaces those that are on. Tells of each that changed, those switched off first. */
  public synchronized void set(Set<Fault> faults) {
    Set<Fault> before = active;
    active = Set.copyOf(faults);
    changed(without(before, active), false);
    changed(without(active, before), true);
  }

  /** Tells of changes from now on, in the thread that makes them and one at a time. */
  public void addListener(FaultListener listener) {
    listeners.add(listener);
  }

  /** The names of those that are on, in the order of {@link Fault}. */
  public List<String> words() {
    return inOrder(active).stream().map(Fault::word).collect(Collectors.toUnmodifiableList());
  }

  private void changed(Set<Fault> faults, boolean on) {
    for (Fault fault : faults) {
      warn(fault, on);
      for (FaultListener listener : listeners) {
        listener.faultChanged(fault, on);
      }
    }
  }

  private static void warn(Fault fault, boolean on) {
    log.warn("fault on purpose switched {}: {}", on ? "on" : "off", fault.word());
  }

  private static Set<Fault> without(Set<Fault> all, Set<Fault> some) {
    Set<Fault> rest = inOrder(all);
    rest.removeAll(some);
    return rest;
  }

  private static Set<Fault> inOrder(Set<Fault> faults) {
    return faults.isEmpty() ? EnumSet.noneOf(Fault.class) : EnumSet.copyOf(faults);
  }
}
