package io.servedrift.monitors.testkit;

/** The methods that the monitor is compared with, at the settings people use them with. */
public enum Peer {
  KS("KS p<0.05 hourly"),
  WASSERSTEIN("Wasserstein>=0.1 sd hourly"),
  PSI("PSI>0.2 hourly"),
  ADWIN("ADWIN delta=0.002"),
  PAGE_HINKLEY("Page-Hinkley, z-scored");

  private final String label;

  Peer(String label) {
    this.label = label;
  }

  /** Name in tables. */
  public String label() {
    return label;
  }
}
