package io.servedrift.monitors.attribution;

import io.servedrift.monitors.stats.Interval;

/**
 * What one traffic class adds to the difference between a window and its reference. Over all
 * classes the values add up to the difference of the means. Immutable; in the unit of what is
 * attributed.
 *
 * @param trafficClass its name
 * @param referenceRequests requests of the class in the reference
 * @param requests of the class in the window
 * @param composition change of its share, times how far its reference mean lies from that of all
 *     classes; for a class that the reference hardly knows, all of its value
 * @param within its share of the window times the shift of its mean
 * @param interval of the value, 95 %; infinite with fewer than two blocks on either side
 * @param withinInterval the same of the part within
 */
public record ClassContribution(
    String trafficClass,
    double referenceRequests,
    double requests,
    double composition,
    double within,
    Interval interval,
    Interval withinInterval) {

  /** All that the class adds. */
  public double value() {
    return composition + within;
  }
}
