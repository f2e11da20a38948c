package io.servedrift.monitors.gate;

import java.util.Map;

/**
 * What live traffic looks like.
 *
 * @param source where it was read, for people
 * @param requests number of live requests by cell
 * @param classes number of live requests by prompt class
 * @param repeatShare share of requests whose prompt was seen before, 0 to 1
 */
public record TrafficProfile(
    String source, Map<RegimeCell, Long> requests, Map<String, Long> classes, double repeatShare) {
  public TrafficProfile {
    requests = Map.copyOf(requests);
    classes = Map.copyOf(classes);
  }
}
