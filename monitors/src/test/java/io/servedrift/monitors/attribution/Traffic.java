package io.servedrift.monitors.attribution;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Requests of a stretch of time and how they become the cubes of an attribution. */
record Traffic(int minutes, List<Request> requests) {

  /** One served request. */
  record Request(
      int minute,
      int group,
      boolean hit,
      int batch,
      boolean preempted,
      int node,
      double clip,
      double logLatency) {}

  private static final int BLOCK_MINUTES = 30;

  private double[] arrivals() {
    double[] result = new double[minutes];
    requests.forEach(r -> result[r.minute()]++);
    return result;
  }

  private static CellAxes axes(int loads, int groups, int nodes) {
    return new CellAxes(
        loads,
        names("g", groups),
        List.of("miss", "hit"),
        List.of("1", "2-3", "4-7", "8+"),
        List.of("no", "yes"),
        names("node", nodes));
  }

  private static List<String> names(String prefix, int count) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      names.add(prefix + i);
    }
    return names;
  }

  private static String bucket(int batch) {
    return batch < 2 ? "1" : batch < 4 ? "2-3" : batch < 8 ? "4-7" : "8+";
  }

  /** Load of each minute. */
  double[] loads() {
    return LoadBuckets.loads(arrivals());
  }

  /** The input of an attribution of this window against a reference. */
  AttributionInput against(
      Traffic reference,
      LoadBuckets buckets,
      Measure measure,
      ToDoubleFunction<Request> value,
      int groups,
      int nodes) {
    double[] referenceLoads = reference.loads();
    CellAxes axes = axes(buckets.size(), groups, nodes);
    double[] loads = loads();
    return new AttributionInput(
        reference.cube(axes.withoutNodes(), buckets, referenceLoads, value, 0, reference.minutes),
        reference.blocks(axes.withoutNodes(), buckets, referenceLoads, value, minutes, true),
        cube(axes, buckets, loads, value, 0, minutes),
        blocks(axes.withoutNodes(), buckets, loads, value, BLOCK_MINUTES, false),
        AttributionInput.Basis.SAME_CONFIGURATION,
        List.of(),
        measure,
        Changes.NONE,
        Map.of());
  }

  private List<CellCube> blocks(
      CellAxes axes,
      LoadBuckets buckets,
      double[] loads,
      ToDoubleFunction<Request> value,
      int length,
      boolean wholeOnly) {
    List<CellCube> result = new ArrayList<>();
    for (int from = 0; from < minutes; from += length) {
      if (from + length <= minutes || !wholeOnly) {
        result.add(cube(axes, buckets, loads, value, from, Math.min(minutes, from + length)));
      }
    }
    return result;
  }

  private CellCube cube(
      CellAxes axes,
      LoadBuckets buckets,
      double[] loads,
      ToDoubleFunction<Request> value,
      int from,
      int to) {
    CellCube.Builder builder = CellCube.over(axes);
    boolean crossed = axes.nodes().size() > 1;
    for (Request r : requests) {
      if (r.minute() >= from && r.minute() < to) {
        double x = value.applyAsDouble(r);
        builder.add(
            buckets.bucket(loads[r.minute()]),
            "g" + r.group(),
            r.hit() ? "hit" : "miss",
            bucket(r.batch()),
            r.preempted() ? "yes" : "no",
            crossed ? "node" + r.node() : axes.nodes().get(0),
            1,
            x,
            x * x);
      }
    }
    return builder.build();
  }
}
