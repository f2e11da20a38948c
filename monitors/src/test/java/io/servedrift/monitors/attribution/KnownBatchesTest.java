package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class KnownBatchesTest {
  private static final CellAxes AXES =
      new CellAxes(
          1,
          List.of("a", "b"),
          List.of("hit", "miss"),
          List.of("1", "4-7", "8-15", "unknown"),
          List.of("no"),
          List.of("*"));

  private static CellCube reference(double ofFourToSeven, double ofEightUp) {
    CellCube.Builder builder = CellCube.over(AXES);
    builder.add(0, "a", "hit", "1", "no", "*", 500, 150, 50);
    builder.add(0, "a", "hit", "4-7", "no", "*", ofFourToSeven, 30, 10);
    builder.add(0, "b", "miss", "8-15", "no", "*", ofEightUp, 3, 1);
    return builder.build();
  }

  @Test
  void comparesWithTheLargestKnown_whenBatchesAreLargerThanEver() {
    KnownBatches batches = KnownBatches.of(reference(200, 99));
    Grid grid = AXES.grid();
    assertThat(batches.cell(grid.index(0, 1, 0, 2, 0))).isEqualTo(grid.index(0, 1, 0, 1, 0));
    assertThat(batches.cell(grid.index(0, 1, 0, 0, 0))).isEqualTo(grid.index(0, 1, 0, 0, 0));
    // The one cell of that size which has requests of its own.
    assertThat(batches.cell(grid.index(0, 1, 1, 2, 0))).isEqualTo(grid.index(0, 1, 1, 2, 0));
  }

  @Test
  void skipsSizesThatAreHardlyKnownThemselves() {
    KnownBatches batches = KnownBatches.of(reference(99, 99));
    Grid grid = AXES.grid();
    assertThat(batches.cell(grid.index(0, 0, 1, 2, 0))).isEqualTo(grid.index(0, 0, 1, 0, 0));
  }

  @Test
  void leavesAlone_whatIsKnownAndWhatIsNotRecorded() {
    KnownBatches batches = KnownBatches.of(reference(200, 100));
    for (int cell = 0; cell < AXES.grid().cells(); cell++) {
      assertThat(batches.cell(cell)).isEqualTo(cell);
    }
  }

  @Test
  void countsWhereItCompares() {
    double[] window = new double[AXES.grid().cells()];
    window[AXES.grid().index(0, 0, 0, 1, 0)] = 5;
    window[AXES.grid().index(0, 0, 0, 2, 0)] = 7;
    double[] moved = KnownBatches.of(reference(200, 99)).moved(window);
    assertThat(moved[AXES.grid().index(0, 0, 0, 1, 0)]).isEqualTo(12);
    assertThat(moved[AXES.grid().index(0, 0, 0, 2, 0)]).isZero();
  }
}
