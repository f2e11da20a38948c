package io.servedrift.monitors.gate;

import java.util.Locale;

/** How a check stands. */
public enum CheckState {
  PASS,
  FAIL,
  /** Not enough was seen, or could be seen, to say either. */
  INSUFFICIENT,
  /** The kind of an endpoint cannot have what the check looks at. */
  NOT_APPLICABLE;

  /** The name in lower case, e.g. {@code not_applicable}. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
