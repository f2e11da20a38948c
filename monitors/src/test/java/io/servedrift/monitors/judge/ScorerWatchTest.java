package io.servedrift.monitors.judge;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.monitors.baseline.CellPane;
import io.servedrift.monitors.baseline.CellPane.MarginCell;
import io.servedrift.monitors.baseline.Content;
import io.servedrift.monitors.pane.HistogramLayout;
import io.servedrift.monitors.pane.ValueDistribution;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When another scorer has taken over. */
class ScorerWatchTest {
  private static final HistogramLayout SCORES = HistogramLayout.linear(0, 1, 10);

  private final ScorerWatch watch = new ScorerWatch();

  /** A pane by counts: {@code a 2 b 3}. */
  private static CellPane pane(String scorers) {
    List<MarginCell> margins = new ArrayList<>();
    String[] words = scorers.isEmpty() ? new String[0] : scorers.split(" ");
    for (int i = 0; i < words.length; i += 2) {
      margins.add(
          new MarginCell(
              "scorer",
              words[i],
              ValueDistribution.of(SCORES, new double[Integer.parseInt(words[i + 1])])));
    }
    // More values than any scorer's, of something else.
    margins.add(new MarginCell("node", "n0", ValueDistribution.of(SCORES, new double[99])));
    return new CellPane(0, 1, List.of(), margins);
  }

  private boolean next(String scorers) {
    return watch.next(pane(scorers));
  }

  @Test
  void knowsNobody_beforeAPaneSays() {
    assertThat(next("")).isFalse();
    assertThat(watch.scorer()).isEmpty();
    assertThat(watch.latest()).isEmpty();
  }

  @Test
  void takesTheFirstAsItIs_withoutATakeover() {
    assertThat(next("a 5")).isFalse();
    assertThat(watch.scorer()).isEqualTo("a");
    assertThat(watch.latest()).isEqualTo("a");
  }

  @Test
  void takesOver_withTheThirdPaneInARow() {
    next("a 5");
    assertThat(next("b 5")).isFalse();
    assertThat(next("b 5")).isFalse();
    assertThat(watch.scorer()).isEqualTo("a");
    assertThat(watch.latest()).isEqualTo("b");
    assertThat(next("b 5")).isTrue();
    assertThat(watch.scorer()).isEqualTo("b");
    // Told once.
    assertThat(next("b 5")).isFalse();
    // The first of three panes of a minute began two minutes before the third.
    assertThat(ScorerWatch.takenOver(60)).isEqualTo(120);
  }

  @Test
  void countsAnew_whenTheOldOneIsSeenAgain() {
    next("a 5");
    next("b 5");
    next("b 5");
    assertThat(next("a 5")).isFalse();
    assertThat(next("b 5")).isFalse();
    assertThat(next("b 5")).isFalse();
    assertThat(watch.scorer()).isEqualTo("a");
  }

  @Test
  void passesOverPanesThatSayNothing() {
    next("a 5");
    next("b 5");
    next("b 5");
    assertThat(next("")).isFalse();
    assertThat(watch.latest()).isEqualTo("b");
    assertThat(next("b 5")).isTrue();
  }

  @Test
  void asksWhoScoredMost_theFirstOfEquals() {
    next("a 3 b 2");
    assertThat(watch.latest()).isEqualTo("a");
    next("a 2 b 3");
    assertThat(watch.latest()).isEqualTo("b");
    next("a 3 b 3");
    assertThat(watch.latest()).isEqualTo("a");
  }

  @Test
  void countsOthersTogether_andTakesTheLast() {
    next("a 5");
    next("b 5");
    next("c 5");
    assertThat(next("b 5")).isTrue();
    assertThat(watch.scorer()).isEqualTo("b");
  }

  @Test
  void goesOnFromItsState() {
    next("a 5");
    next("b 5");
    next("b 5");
    Content.Writer out = new Content.Writer();
    watch.write(out);
    ScorerWatch later = new ScorerWatch();
    later.read(new Content.Reader(out.bytes()));
    assertThat(later.scorer()).isEqualTo("a");
    assertThat(later.latest()).isEqualTo("b");
    assertThat(later.next(pane("b 5"))).isTrue();
  }
}
