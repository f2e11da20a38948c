package io.servedrift.monitors.attribution;

import java.util.List;
import java.util.Map;

/**
 * Everything one attribution reads. Immutable.
 *
 * @param reference traffic before; needs no nodes
 * @param referenceBlocks disjoint stretches of the reference, each as long as the window: how far a
 *     window's mean wanders when nothing is wrong
 * @param window traffic since the onset
 * @param windowBlocks the window in disjoint stretches, 30 minutes for a window of hours: the unit
 *     of the block bootstrap; fewer than two give no spread of the composition part
 * @param basis what the reference is to the window
 * @param margins levels of covariates that cells are not crossed with
 * @param exposures other shares of such levels
 * @param circumstances what the window says beside its cells
 * @param eventLogBayesFactors evidence of serving events per cause, natural logarithms; absent is 0
 */
public record AttributionInput(
    CellCube reference,
    List<CellCube> referenceBlocks,
    CellCube window,
    List<CellCube> windowBlocks,
    Basis basis,
    List<Margin> margins,
    List<MarginExposure> exposures,
    Circumstances circumstances,
    Measure measure,
    Changes changes,
    Map<Cause, Double> eventLogBayesFactors) {

  /** An input without exposures and circumstances. */
  public AttributionInput(
      CellCube reference,
      List<CellCube> referenceBlocks,
      CellCube window,
      List<CellCube> windowBlocks,
      Basis basis,
      List<Margin> margins,
      Measure measure,
      Changes changes,
      Map<Cause, Double> eventLogBayesFactors) {
    this(
        reference,
        referenceBlocks,
        window,
        windowBlocks,
        basis,
        margins,
        List.of(),
        Circumstances.NONE,
        measure,
        changes,
        eventLogBayesFactors);
  }

  /** What the reference is to the window. */
  public enum Basis {
    /** The same configuration before: cells it does not know end the matter. */
    SAME_CONFIGURATION,
    /**
     * What ran before a configuration that may batch and cache where its predecessor did not: cells
     * the predecessor does not know are compared with what it did for the same class, so that hits
     * stand against misses and large batches against small ones.
     */
    PREDECESSOR
  }

  /** Checks that all cubes have the same levels, nodes aside, and that there is traffic. */
  public AttributionInput {
    referenceBlocks = List.copyOf(referenceBlocks);
    windowBlocks = List.copyOf(windowBlocks);
    margins = List.copyOf(margins);
    exposures = List.copyOf(exposures);
    eventLogBayesFactors = Map.copyOf(eventLogBayesFactors);
    requireTraffic("reference", reference);
    requireTraffic("window", window);
    CellAxes axes = reference.axes().withoutNodes();
    requireAxes("window", axes, window);
    referenceBlocks.forEach(block -> requireAxes("reference block", axes, block));
    windowBlocks.forEach(block -> requireAxes("window block", axes, block));
  }

  private static void requireTraffic(String what, CellCube cube) {
    if (!(cube.requests() > 0)) {
      throw new IllegalArgumentException(what + " without requests: must have at least one");
    }
  }

  private static void requireAxes(String what, CellAxes axes, CellCube cube) {
    CellAxes own = cube.axes().withoutNodes();
    if (!own.equals(axes)) {
      throw new IllegalArgumentException(
          what + " has levels " + own + ": must be those of the reference, " + axes);
    }
  }
}
