package io.servedrift.monitors.gate;

import java.util.List;

/**
 * The control: each side against itself. Without a stable control nothing may be concluded.
 *
 * @param state pass, fail (a side differs from itself beyond the margins) or insufficient
 * @param why one sentence
 * @param measures the noise floor
 */
public record AaControl(CheckState state, String why, List<Measure> measures) {
  public AaControl {
    measures = List.copyOf(measures);
  }
}
