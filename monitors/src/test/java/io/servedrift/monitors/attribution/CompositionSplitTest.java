package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class CompositionSplitTest {
  private static final CellAxes AXES =
      new CellAxes(
          3,
          List.of("a", "b"),
          List.of("miss", "hit"),
          List.of("1", "2-3", "4-7"),
          List.of("no", "yes"),
          List.of("*"));

  private static CellCube cube(long seed, int unseenLoads) {
    SplittableRandom random = new SplittableRandom(seed);
    CellCube.Builder builder = CellCube.over(AXES);
    for (int load = 0; load < AXES.loads() - unseenLoads; load++) {
      for (String group : AXES.classes()) {
        for (String cache : AXES.caches()) {
          for (String batch : AXES.batches()) {
            for (String preempted : AXES.preemptions()) {
              double n = 20 + random.nextInt(500);
              double sum = n * random.nextDouble(1, 2);
              builder.add(load, group, cache, batch, preempted, "*", n, sum, 3 * sum);
            }
          }
        }
      }
    }
    return builder.build();
  }

  @Property(tries = 100)
  void chargesEverything_whenSummedOverMechanisms(@ForAll long before, @ForAll long after) {
    CellCube reference = cube(before, 0);
    CellCube window = cube(after, 0);
    ReferenceMeans means = ReferenceMeans.of(reference, false);
    ReferenceFactors factors = new ReferenceFactors(reference.grid(), reference.counts());
    double[] shares = new CompositionSplit(reference.grid(), factors, means).of(window.counts());
    double whole = 0;
    for (double share : shares) {
      whole += share;
    }
    double composition =
        means.expected(window.counts()) / window.requests()
            - means.expected(reference.counts()) / reference.requests();
    // smoothing of the factors is all that separates the two
    assertThat(whole).isCloseTo(composition, within(.02));
  }

  @Property(tries = 50)
  void chargesNothing_whenWindowIsTheReferenceTwice(@ForAll long seed) {
    CellCube reference = cube(seed, 0);
    double[] twice = reference.counts();
    for (int cell = 0; cell < twice.length; cell++) {
      twice[cell] *= 2;
    }
    ReferenceMeans means = ReferenceMeans.of(reference, false);
    ReferenceFactors factors = new ReferenceFactors(reference.grid(), reference.counts());
    for (double share : new CompositionSplit(reference.grid(), factors, means).of(twice)) {
      assertThat(share).isCloseTo(0, within(5e-3));
    }
    for (double path : new LoadPaths(reference.grid(), factors, means).of(twice)) {
      assertThat(path).isCloseTo(0, within(5e-3));
    }
  }

  @Property(tries = 50)
  void chargesNoServingMechanism_whenOnlyLoadNeverSeenIsDifferent(@ForAll long seed) {
    CellCube reference = cube(seed, 1);
    double[] counts = reference.counts();
    double[] unseen = cube(seed + 1, 0).counts();
    int step = counts.length / AXES.loads();
    System.arraycopy(unseen, 2 * step, counts, 2 * step, step);
    ReferenceMeans means = ReferenceMeans.of(reference, false);
    ReferenceFactors factors = new ReferenceFactors(reference.grid(), reference.counts());
    double[] shares = new CompositionSplit(reference.grid(), factors, means).of(counts);
    assertThat(shares[Grid.CACHE]).isCloseTo(0, within(5e-3));
    assertThat(shares[Grid.BATCH]).isCloseTo(0, within(5e-3));
    assertThat(shares[Grid.PREEMPTED]).isCloseTo(0, within(5e-3));
  }
}
