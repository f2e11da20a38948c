package io.servedrift.monitors.gate;

import java.util.List;

/**
 * Which share of live traffic lies in cells the gate exercised.
 *
 * @param source where live traffic was read
 * @param live number of live requests
 * @param share of them in exercised cells, 0 to 1
 * @param cells every live cell, the most frequent first
 */
public record RegimeCoverage(String source, long live, double share, List<Cell> cells) {
  public RegimeCoverage {
    cells = List.copyOf(cells);
  }

  /**
   * One cell of live traffic.
   *
   * @param live requests of live traffic
   * @param exercised answers of the new side in it
   * @param covered whether these are enough
   */
  public record Cell(RegimeCell cell, long live, long exercised, boolean covered) {}
}
