package io.servedrift.serving.engine;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrays;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import io.servedrift.serving.fault.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The conditioning of a batch as the denoiser takes it: the prompts' rows and then, with guidance,
 * the negative prompts' rows, padded to the longest with zeros, and a mask. Holds copies on the
 * device, which serve as long as the batch stays the same. Not thread-safe.
 */
final class ConditioningBatch implements AutoCloseable {

  /** From this size on a batch counts as large for the faults that need one. */
  static final int LARGE = 4;

  private final List<TorchGeneration> generations;
  private final Set<Fault> faults;
  private final NDManager manager;
  private final NDArray conditioning;
  private final NDArray mask;

  /**
   * Puts a batch together.
   *
   * @param generations not empty; all with guidance or all without
   * @param faults that are on
   */
  ConditioningBatch(NDManager parent, List<TorchGeneration> generations, Set<Fault> faults) {
    this.generations = List.copyOf(generations);
    this.faults = Set.copyOf(faults);
    this.manager = parent.newSubManager();
    List<Conditioned> rows = rows(generations);
    int longest = rows.stream().mapToInt(row -> row.value().length()).max().orElseThrow();
    boolean mixed =
        generations.stream().mapToInt(each -> each.prompt().value().length()).distinct().count()
            > 1;
    boolean reduced =
        mixed
            && generations.size() >= LARGE
            && faults.contains(Fault.CACHED_CONDITIONING_PRECISION);
    boolean unmasked = mixed && faults.contains(Fault.PADDING_IN_MIXED_BATCHES);
    NDList padded = new NDList();
    float[] ones = new float[rows.size() * longest];
    for (int i = 0; i < rows.size(); i++) {
      padded.add(padded(rows.get(i), longest, reduced));
      // Only prompts lose their mask: padding of negative prompts is there in every batch.
      int shown = unmasked && i < generations.size() ? longest : rows.get(i).value().length();
      Arrays.fill(ones, i * longest, i * longest + shown, 1);
    }
    conditioning = NDArrays.stack(padded);
    conditioning.attach(manager);
    padded.close();
    mask = manager.create(ones, new Shape(rows.size(), longest));
  }

  /** Whether it is the conditioning of this batch with these faults. */
  boolean isFor(List<TorchGeneration> others, Set<Fault> othersFaults) {
    return generations.equals(others) && faults.equals(othersFaults);
  }

  /** {@code [N, L, D]}. */
  NDArray conditioning() {
    return conditioning;
  }

  /** {@code [N, L]}: 1 for tokens, 0 for padding. */
  NDArray mask() {
    return mask;
  }

  @Override
  public void close() {
    manager.close();
  }

  private static List<Conditioned> rows(List<TorchGeneration> generations) {
    List<Conditioned> rows = new ArrayList<>();
    generations.forEach(each -> rows.add(each.prompt()));
    generations.stream().map(TorchGeneration::negative).filter(Objects::nonNull).forEach(rows::add);
    return rows;
  }

  /** A row at the common length; an array of its own. A miss never sees the reduced precision. */
  private NDArray padded(Conditioned row, int longest, boolean reduced) {
    Conditioning value = row.value();
    NDArray values = reduced && row.hit() ? value.atInt8() : value.values().duplicate();
    values.attach(manager);
    if (value.length() == longest) {
      return values;
    }
    NDArray zeros = manager.zeros(new Shape(longest - value.length(), values.getShape().get(1)));
    try (values;
        zeros) {
      return values.concat(zeros);
    }
  }
}
