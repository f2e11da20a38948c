package io.servedrift.monitors.pane;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class ExemplarSampleTest {
  private static final List<String> CACHE = List.of("hit", "miss", "unknown");
  private static final List<String> BATCH = List.of("1", "2-3", "4-7", "8-15", "16+", "unknown");

  private static Exemplar exemplar(int id, String cache, String batch) {
    return new Exemplar(
        ExemplarSample.hash("d", "r-" + id), "r-" + id, id, cache, batch, "portrait", "gpu-0", id);
  }

  private static List<Exemplar> random(SplittableRandom random, int n, int cells) {
    List<Exemplar> all = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      int cell = random.nextInt(cells);
      all.add(exemplar(random.nextInt(1 << 30), CACHE.get(cell % 3), BATCH.get(cell / 3)));
    }
    return all;
  }

  /** Computed apart, in Python, from the words of the javadoc. */
  @Test
  void hashIsTheOneDescribed() {
    assertThat(ExemplarSample.hash("image-gen", "r-1")).isEqualTo(0xbbf8e483417b9437L);
    assertThat(ExemplarSample.hash("image-gen", "r-2")).isEqualTo(0x8302dcc3373a8ef2L);
    assertThat(ExemplarSample.hash("a", "b")).isEqualTo(0x47a09667e073c76cL);
    assertThat(ExemplarSample.hash("", "")).isEqualTo(0x9277d4a093f8e718L);
  }

  /** The chance to be among the smallest must not depend on where an id stands in a row of ids. */
  @Test
  void hashesOfConsecutiveIdsAreUniform() {
    int n = 100_000;
    int[] bins = new int[64];
    for (int i = 0; i < n; i++) {
      bins[(int) (ExemplarSample.hash("image-gen", "req-" + i) >>> 58)]++;
    }
    double chiSquare = 0;
    for (int count : bins) {
      chiSquare += (count - n / 64.0) * (count - n / 64.0) / (n / 64.0);
    }
    // 63 degrees of freedom: 0.001 and 0.999 quantiles.
    assertThat(chiSquare).isBetween(32.4, 104.0);
  }

  @Test
  void keepsThreePerCell_theSmallestHashesAsUnsignedNumbers() {
    List<Exemplar> all = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      all.add(exemplar(i, i % 2 == 0 ? "hit" : "miss", "1"));
    }
    List<Exemplar> sample = ExemplarSample.select(all);
    assertThat(sample).hasSize(6).isSortedAccordingTo(Exemplar.ORDER);
    for (String cache : List.of("hit", "miss")) {
      assertThat(sample.stream().filter(exemplar -> exemplar.cache().equals(cache)))
          .containsExactlyElementsOf(
              all.stream()
                  .filter(exemplar -> exemplar.cache().equals(cache))
                  .sorted((a, b) -> Long.compareUnsigned(a.hash(), b.hash()))
                  .limit(3)
                  .toList());
    }
  }

  @Test
  void keepsAtLeastOneOfEachCell_andFillsTheRestByHash() {
    List<Exemplar> all = random(new SplittableRandom(3), 2000, 18);
    List<Exemplar> sample = ExemplarSample.select(all);
    assertThat(sample).hasSize(24);
    Map<List<String>, List<Exemplar>> byCell = new HashMap<>();
    all.stream()
        .sorted(Exemplar.ORDER)
        .forEach(
            exemplar ->
                byCell
                    .computeIfAbsent(
                        List.of(exemplar.cache(), exemplar.batch()), k -> new ArrayList<>())
                    .add(exemplar));
    assertThat(byCell).hasSize(18);
    Set<Exemplar> expected = new HashSet<>();
    byCell.values().forEach(cell -> expected.add(cell.get(0)));
    byCell.values().stream()
        .flatMap(cell -> cell.subList(1, 3).stream())
        .sorted(Comparator.comparing(Exemplar::hash, Long::compareUnsigned))
        .limit(6)
        .forEach(expected::add);
    assertThat(sample).containsExactlyInAnyOrderElementsOf(expected);
  }

  @Property(tries = 300)
  void sampleOfAllIsTheSampleOfTheSamples_forAnyCutIntoParts(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 200) int n,
      @ForAll @IntRange(min = 1, max = 18) int cells,
      @ForAll @IntRange(min = 1, max = 9) int parts) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Exemplar> all = random(random, n, cells);
    List<List<Exemplar>> samples = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      samples.add(new ArrayList<>());
    }
    all.forEach(exemplar -> samples.get(random.nextInt(parts)).add(exemplar));
    samples.replaceAll(ExemplarSample::select);
    while (samples.size() > 1) {
      List<Exemplar> two = new ArrayList<>(samples.remove(random.nextInt(samples.size())));
      two.addAll(samples.remove(random.nextInt(samples.size())));
      samples.add(ExemplarSample.select(two));
    }
    assertThat(samples.get(0)).isEqualTo(ExemplarSample.select(all));
  }

  /** What is kept while a pane is built is the sample of all its values. */
  @Property(tries = 100)
  void incrementalSampleIsTheSampleOfAll(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 300) int n) {
    SplittableRandom random = new SplittableRandom(seed);
    List<ServedRequest> requests = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      RequestEvent event = TestEvents.request("r-" + random.nextInt(), TestEvents.START, i);
      CacheUse cache = new CacheUse();
      cache.setHit(random.nextBoolean());
      event.setCache(cache);
      BatchComposition batch = new BatchComposition();
      batch.setNeighbours(List.of());
      batch.setSegments(List.of());
      batch.setSizeMax(1 + random.nextInt(20));
      event.setBatch(batch);
      requests.add(ServedRequest.of(event));
    }
    ExemplarSample.Requests hashed = new ExemplarSample.Requests(requests);
    ExemplarSample.Requests.Metric metric = hashed.metric();
    List<Exemplar> all = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      ServedRequest request = requests.get(i);
      metric.offer(i, i);
      all.add(Exemplar.of(request, i, ExemplarSample.hash("image-gen", request.requestId())));
    }
    assertThat(metric.sample()).isEqualTo(ExemplarSample.select(all));
  }
}
