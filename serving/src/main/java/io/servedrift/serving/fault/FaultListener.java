package io.servedrift.serving.fault;

/** Is told when a fault is switched on or off. Must not block. */
@FunctionalInterface
public interface FaultListener {

  /**
   * A fault changed.
   *
   * @param on whether it is on now
   */
  void faultChanged(Fault fault, boolean on);
}
