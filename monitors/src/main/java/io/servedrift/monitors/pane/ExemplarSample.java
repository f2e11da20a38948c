package io.servedrift.monitors.pane;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which requests stand for a series in a pane: per cell (cache bucket x batch bucket) the {@value
 * #PER_CELL} with the smallest hash, and of these at most {@value #PER_SERIES} - the first of every
 * cell, then the smallest hashes.
 *
 * <p>The sample of a union is the sample of the union of the samples (a bottom-k sample; Cohen and
 * Kaplan, PODC 2007), so it is the same for any partitioning and order of merges. That holds with
 * the second bound too: more requests never move one forward among those of its cell or of the
 * series, and more cells never leave more room, so what a part drops, the whole would drop as well.
 * There are at most 18 cells, so the first of each has room.
 */
final class ExemplarSample {
  /** Most exemplars per cell. */
  static final int PER_CELL = 3;

  /** Most exemplars per series and pane. */
  static final int PER_SERIES = 24;

  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final long KEYED = extend(FNV_OFFSET, "servedrift-exemplar-1\0");

  private ExemplarSample() {}

  /**
   * The sample of some candidates, sorted by hash.
   *
   * @param candidates in any order
   */
  static List<Exemplar> select(Collection<Exemplar> candidates) {
    List<Exemplar> sorted = new ArrayList<>(candidates);
    sorted.sort(Exemplar.ORDER);
    Map<List<String>, Integer> ofCell = new HashMap<>();
    List<Exemplar> kept = new ArrayList<>(PER_SERIES);
    List<Exemplar> more = new ArrayList<>();
    for (Exemplar exemplar : sorted) {
      int rank = ofCell.merge(List.of(exemplar.cache(), exemplar.batch()), 1, Integer::sum);
      if (rank == 1) {
        kept.add(exemplar);
      } else if (rank <= PER_CELL) {
        more.add(exemplar);
      }
    }
    int room = Math.max(0, PER_SERIES - kept.size());
    kept.addAll(more.subList(0, Math.min(room, more.size())));
    kept.sort(Exemplar.ORDER);
    return List.copyOf(kept);
  }

  /**
   * Hash of a request: FNV-1a with 64 bits over the UTF-16 units of key, NUL, deployment, NUL,
   * request id, then MurmurHash3's finaliser, without which the hashes of r-1, r-2, ... would lie
   * side by side. It draws a sample and keeps no secret, so it need not withstand an attacker; a
   * cryptographic one costs several times as much on every request.
   */
  static long hash(String deployment, String requestId) {
    long nul = extend(KEYED, deployment) * FNV_PRIME;
    return finish(extend(nul, requestId));
  }

  private static long extend(long hash, String text) {
    long extended = hash;
    for (int i = 0; i < text.length(); i++) {
      extended = (extended ^ text.charAt(i)) * FNV_PRIME;
    }
    return extended;
  }

  private static long finish(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /** The requests of a (model, configuration) group in a pane, hashed once for all metrics. */
  static final class Requests {
    private final List<ServedRequest> requests;
    private final long[] hashes;
    private final int[] cells;
    private int cellCount;

    Requests(List<ServedRequest> requests) {
      this.requests = requests;
      this.hashes = new long[requests.size()];
      this.cells = new int[requests.size()];
      Map<String, Map<String, Integer>> numbers = new HashMap<>();
      for (int i = 0; i < hashes.length; i++) {
        ServedRequest request = requests.get(i);
        hashes[i] = hash(request.deployment(), request.requestId());
        cells[i] =
            numbers
                .computeIfAbsent(request.bucket(Covariate.CACHE), cache -> new HashMap<>())
                .computeIfAbsent(request.bucket(Covariate.BATCH), batch -> cellCount++);
      }
    }

    private boolean comesBefore(int left, int right) {
      int compared = Long.compareUnsigned(hashes[left], hashes[right]);
      return compared == 0
          ? requests.get(left).requestId().compareTo(requests.get(right).requestId()) < 0
          : compared < 0;
    }

    /** An empty sample of one metric. */
    Metric metric() {
      return new Metric();
    }

    /** The smallest hashes per cell among the values of one metric. */
    final class Metric {
      private static final int NONE = -1;

      private final int[] kept = new int[cellCount * PER_CELL];
      private final double[] values = new double[kept.length];

      Metric() {
        Arrays.fill(kept, NONE);
      }

      /** Offers the value of a request, given by its position among the requests. */
      void offer(int request, double value) {
        int first = cells[request] * PER_CELL;
        int place = first + PER_CELL;
        while (place > first
            && (kept[place - 1] == NONE || comesBefore(request, kept[place - 1]))) {
          place--;
        }
        int last = first + PER_CELL - 1;
        if (place > last) {
          return;
        }
        System.arraycopy(kept, place, kept, place + 1, last - place);
        System.arraycopy(values, place, values, place + 1, last - place);
        kept[place] = request;
        values[place] = value;
      }

      List<Exemplar> sample() {
        List<Exemplar> candidates = new ArrayList<>();
        for (int i = 0; i < kept.length; i++) {
          if (kept[i] != NONE) {
            candidates.add(Exemplar.of(requests.get(kept[i]), values[i], hashes[kept[i]]));
          }
        }
        return select(candidates);
      }
    }
  }
}
