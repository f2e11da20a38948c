package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CellCubeTest {
  private static final CellAxes AXES =
      new CellAxes(
          2,
          List.of("a", "b"),
          List.of("unknown", "miss", "hit"),
          List.of("unknown", "1", "2-3", "4-7", "8-15", "16+"),
          List.of("unknown", "no", "yes"),
          List.of("n0", "n1"));

  @Test
  void sumsOverNodes_whenCrossedWithThem() {
    CellCube cube =
        CellCube.over(AXES)
            .add(1, "b", "hit", "8-15", "no", "n0", 2, 3, 5)
            .add(1, "b", "hit", "8-15", "no", "n1", 1, 4, 16)
            .build();
    int cell = cube.grid().index(1, 1, 2, 4, 1);
    assertThat(cube.counts()[cell]).isEqualTo(3);
    assertThat(cube.sums()[cell]).isEqualTo(7);
    assertThat(cube.sum(cell, 1)).isEqualTo(4);
    assertThat(cube.requests()).isEqualTo(3);
    assertThat(cube.sumOfSquares()).isEqualTo(21);
  }

  @Test
  void projectsOntoAxes_whenOthersAreSummed() {
    CellCube cube =
        CellCube.over(AXES)
            .add(0, "a", "hit", "1", "no", "n0", 2, 0, 0)
            .add(1, "a", "miss", "1", "no", "n0", 3, 0, 0)
            .add(1, "b", "hit", "2-3", "yes", "n0", 5, 0, 0)
            .build();
    Grid grid = cube.grid();
    assertThat(grid.marginal(cube.counts(), Grid.mask(Grid.CACHE))).containsExactly(0, 3, 7);
    assertThat(grid.marginal(cube.counts(), Grid.mask(Grid.LOAD, Grid.CLASS)))
        .containsExactly(2, 0, 3, 5);
    assertThat(grid.marginal(cube.counts(), 0)).containsExactly(10);
  }

  @Test
  void cutsBatchesAtEachBucket_whenUnknownIsAside() {
    assertThat(AXES.batchCuts()).containsExactly(2, 4, 8, 16);
  }

  @Test
  void doesNotTakeUnknownForClean_whenOthersAreKnown() {
    assertThat(AXES.clean(Grid.CACHE, 0)).isFalse();
    assertThat(AXES.clean(Grid.CACHE, 1)).isTrue();
    assertThat(AXES.batchWithin(2, 1, CellAxes.CLEAN_BATCH)).isTrue();
    assertThat(AXES.batchWithin(3, 1, CellAxes.CLEAN_BATCH)).isFalse();
    CellAxes noCache =
        new CellAxes(
            1, List.of("a"), List.of("unknown"), List.of("1"), List.of("no"), List.of("n"));
    assertThat(noCache.clean(Grid.CACHE, 0)).isTrue();
  }

  @Test
  void rejectsALevel_whenAxesDoNotHaveIt() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CellCube.over(AXES).add(0, "c", "hit", "1", "no", "n0", 1, 1, 1))
        .withMessage("level c: must be one of [a, b]");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CellCube.over(AXES).add(2, "a", "hit", "1", "no", "n0", 1, 1, 1))
        .withMessage("load bucket 2: must be 0..1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CellAxes.smallestBatch("large"))
        .withMessageContaining("large");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new CellAxes(
                    1,
                    List.of("a", "a"),
                    List.of("hit"),
                    List.of("1"),
                    List.of("no"),
                    List.of("n")))
        .withMessageContaining("each once");
  }

  @Test
  void rejectsInput_whenAxesDifferOrTrafficIsMissing() {
    CellCube empty = CellCube.over(AXES).build();
    CellCube some = CellCube.over(AXES).add(0, "a", "hit", "1", "no", "n0", 1, 1, 1).build();
    CellAxes others =
        new CellAxes(
            1, AXES.classes(), AXES.caches(), AXES.batches(), AXES.preemptions(), AXES.nodes());
    CellCube other = CellCube.over(others).add(0, "a", "hit", "1", "no", "n0", 1, 1, 1).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> input(some, empty))
        .withMessageContaining("window without requests");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> input(some, other))
        .withMessageContaining("window has levels");
  }

  private static AttributionInput input(CellCube reference, CellCube window) {
    return new AttributionInput(
        reference,
        List.of(),
        window,
        List.of(),
        AttributionInput.Basis.SAME_CONFIGURATION,
        List.of(),
        Measure.scoreMean(),
        Changes.NONE,
        Map.of());
  }
}
