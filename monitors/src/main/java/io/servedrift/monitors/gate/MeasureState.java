package io.servedrift.monitors.gate;

import java.util.Locale;

/** What one measured number says. */
public enum MeasureState {
  /** Its interval lies inside the margin. */
  PASS,
  /** Its interval lies wholly beyond the margin. */
  FAIL,
  /** Its interval reaches both sides of the margin, or n is too small. */
  INSUFFICIENT,
  /** Shown; decides nothing. */
  REPORTED;

  /** The name in lower case. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
