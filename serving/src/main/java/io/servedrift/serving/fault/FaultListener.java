package io.servedrift.serving.fault;

/**
 * Is told when a fault is switched on or off, by the thread that does so and after it took effect.
 * May load a file; must not wait for anything else.
 */
@FunctionalInterface
public interface FaultListener {

  /**
   * A fault changed.
   *
   * @param on whether it is on now
   */
  void faultChanged(Fault fault, boolean on);
}
