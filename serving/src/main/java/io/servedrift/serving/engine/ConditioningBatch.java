package io.servedrift.serving.engine;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDArrays;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.types.Shape;
import io.servedrift.serving.fault.Fault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
    boolean mixed = mixed(generations);
    boolean large = generations.size() >= LARGE;
    boolean reduced = mixed && large && faults.contains(Fault.CACHED_CONDITIONING_PRECISION);
    Conditioned left =
        mixed && faults.contains(Fault.PADDING_IN_MIXED_BATCHES) ? longestPrompt() : null;
    try {
      conditioning = stacked(rows, longest, reduced, left);
      mask = manager.create(mask(rows, longest, left), new Shape(rows.size(), longest));
    } catch (RuntimeException e) {
      manager.close();
      throw e;
    }
  }

  /** Whether the prompts have more than one length. */
  private static boolean mixed(List<TorchGeneration> generations) {
    return generations.stream()
            .mapToInt(generation -> generation.prompt().value().promptTokens())
            .distinct()
            .count()
        > 1;
  }

  /** That with the most rows; of several the same one in whatever order they joined. */
  private Conditioned longestPrompt() {
    return generations.stream()
        .max(
            Comparator.comparingInt(
                    (TorchGeneration generation) -> generation.prompt().value().length())
                .thenComparing(generation -> generation.request().prompt()))
        .orElseThrow()
        .prompt();
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

  /** Arrays that it holds on the device. */
  int arrays() {
    return manager.getManagedArrays().size();
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

  private NDArray stacked(
      List<Conditioned> rows, int longest, boolean reduced, @Nullable Conditioned left) {
    try (NDList padded = new NDList()) {
      for (int i = 0; i < rows.size(); i++) {
        padded.add(padded(rows.get(i), longest, reduced, promptRow(i) ? left : null));
      }
      NDArray stacked = NDArrays.stack(padded);
      stacked.attach(manager);
      return stacked;
    }
  }

  /** Negative prompts are not harmed: their padding is there in every batch, also in one of one. */
  private boolean promptRow(int row) {
    return row < generations.size();
  }

  private float[] mask(List<Conditioned> rows, int longest, @Nullable Conditioned left) {
    float[] mask = new float[rows.size() * longest];
    for (int i = 0; i < rows.size(); i++) {
      Conditioned seen = left != null && promptRow(i) ? left : rows.get(i);
      Arrays.fill(mask, i * longest, i * longest + seen.value().length(), 1);
    }
    return mask;
  }

  /**
   * A row at the common length; an array of its own.
   *
   * @param left what stood in the row's memory before and shows behind its end, null for zeros
   */
  private NDArray padded(
      Conditioned row, int longest, boolean reduced, @Nullable Conditioned left) {
    Conditioning value = row.value();
    // What is made on the way belongs to its input's manager, so that has to be one that is closed.
    try (NDManager step = manager.newSubManager()) {
      NDArray padded = asUsed(row, reduced, step);
      if (left != null && left.value().length() > value.length()) {
        padded = padded.concat(asUsed(left, reduced, step).get(new NDIndex(value.length() + ":")));
      }
      long missing = longest - padded.getShape().get(0);
      if (missing > 0) {
        padded = padded.concat(step.zeros(new Shape(missing, value.width())));
      }
      padded.attach(manager);
      return padded;
    }
  }

  /** A miss never sees the reduced precision. */
  private static NDArray asUsed(Conditioned row, boolean reduced, NDManager owner) {
    return reduced && row.hit() ? row.value().atInt8(owner) : row.value().copy(owner);
  }
}
