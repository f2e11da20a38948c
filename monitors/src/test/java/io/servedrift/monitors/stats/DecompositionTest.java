package io.servedrift.monitors.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** {@link Shapley}, {@link MechanismShapley} and {@link Kitagawa}. */
class DecompositionTest {
  @Test
  void sharesTheSame_whenComparedWithTheReferenceGame() {
    RefValues.Case reference = RefValues.named("shapley_3");
    double[] worth = new double[8];
    for (int set = 0; set < 8; set++) {
      String key = "" + (set & 1) + (set >> 1 & 1) + (set >> 2 & 1);
      worth[set] = reference.inputs().get("v").get(key).doubleValue();
    }
    double[] share = Shapley.of(worth);
    for (int i = 0; i < 3; i++) {
      reference.check(share[i], reference.expected().get(i));
    }
  }

  @Property(tries = 100)
  void isTheAverageOverAllOrders_whateverTheGame(
      @ForAll @IntRange(min = 0, max = 5) int players, @ForAll long seed) {
    double[] worth = new SplittableRandom(seed).doubles(1L << players, -1, 1).toArray();
    double[] sum = new double[players];
    int orders = walkOrders(worth, 0, new double[players], sum);
    double[] share = Shapley.of(worth);
    for (int i = 0; i < players; i++) {
      assertThat(share[i]).isCloseTo(sum[i] / orders, within(1e-12));
    }
    assertThat(Arrays.stream(share).sum())
        .isCloseTo(worth[worth.length - 1] - worth[0], within(1e-12));
  }

  /** Walks all orders that go on from a set; at the end of each, adds what each player added. */
  private static int walkOrders(double[] worth, int set, double[] added, double[] sum) {
    if (set == worth.length - 1) {
      Arrays.setAll(sum, i -> sum[i] + added[i]);
      return 1;
    }
    int orders = 0;
    for (int player = 0; player < sum.length; player++) {
      if ((set & 1 << player) == 0) {
        int with = set | 1 << player;
        added[player] = worth[with] - worth[set];
        orders += walkOrders(worth, with, added, sum);
      }
    }
    return orders;
  }

  @Test
  void chargesTheSame_whenComparedWithTheReferenceMechanisms() {
    RefValues.Case reference = RefValues.named("mechanism_shapley");
    JsonNode in = reference.inputs();
    double[][] ref = new double[2][4];
    double[][] win = new double[2][4];
    double[] mean = new double[4];
    for (int g = 0; g < 2; g++) {
      for (int h = 0; h < 2; h++) {
        int cell = 2 * g + h;
        ref[0][cell] = in.get("Pg_ref").get(g).doubleValue();
        win[0][cell] = in.get("Pg_win").get(g).doubleValue();
        ref[1][cell] = side(in.get("Phit_ref").get(g).doubleValue(), h);
        win[1][cell] = side(in.get("Phit_win").get(g).doubleValue(), h);
        mean[cell] = in.get("mean_ref").get(g).get(h).doubleValue();
      }
    }
    double[] share = MechanismShapley.of(ref, win, mean);
    reference.check(share[0], reference.expected().get("phi_mix"));
    reference.check(share[1], reference.expected().get("phi_hit"));
    double[] worth = MechanismShapley.worths(ref, win, mean);
    for (int set = 0; set < 4; set++) {
      String key = "" + (set & 1) + (set >> 1);
      reference.check(worth[set], reference.expected().get("v").get(key));
    }
  }

  private static double side(double hit, int h) {
    return h == 1 ? hit : 1 - hit;
  }

  @Test
  void chargesTheMix_whenFewerHitsComeFromOtherPromptsOnly() {
    // Class 0 hits often, class 1 seldom; only the classes change. Cells: (g, h).
    double[][] ref = {{0.7, 0.7, 0.3, 0.3}, {0.5, 0.5, 0.9, 0.1}};
    double[][] win = {{0.2, 0.2, 0.8, 0.8}, {0.5, 0.5, 0.9, 0.1}};
    double[] mean = {4, 2, 4, 2};
    double[] share = MechanismShapley.of(ref, win, mean);
    assertThat(share[0]).isCloseTo(0.4, within(1e-12));
    assertThat(share[1]).isZero();
  }

  static List<RefValues.Case> splits() {
    return RefValues.startingWith("kitagawa_");
  }

  @ParameterizedTest
  @MethodSource("splits")
  void splitsTheSame_whenComparedWithReferenceValues(RefValues.Case reference) {
    double[] shareRef = RefValues.numbers(reference.inputs().get("share_ref"));
    double[] meanRef = RefValues.numbers(reference.inputs().get("mean_ref"));
    double[] shareWin = RefValues.numbers(reference.inputs().get("share_win"));
    double[] meanWin = RefValues.numbers(reference.inputs().get("mean_win"));
    Kitagawa.Parts midpoint = Kitagawa.midpoint(shareRef, meanRef, shareWin, meanWin);
    reference.check(midpoint.total(), reference.expected().get("total"));
    reference.check(midpoint.mix(), reference.expected().get("mix_mid"));
    reference.check(midpoint.within(), reference.expected().get("rate_mid"));
    Kitagawa.Parts anchored = Kitagawa.anchored(shareRef, meanRef, shareWin, meanWin);
    reference.check(anchored.total(), reference.expected().get("total"));
    reference.check(anchored.mix(), reference.expected().get("mix_at_ref"));
    reference.check(anchored.within(), reference.expected().get("within_at_window"));
    reference.check(
        Kitagawa.interaction(shareRef, meanRef, shareWin, meanWin),
        reference.expected().get("interaction"));
  }

  @Property(tries = 200)
  void addsUpToTheDifference_whateverSharesAndMeans(
      @ForAll @IntRange(min = 1, max = 30) int cells, @ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    double[] shareRef = shares(random, cells);
    double[] shareWin = shares(random, cells);
    double[] meanRef = random.doubles(cells, -5, 5).toArray();
    double[] meanWin = random.doubles(cells, -5, 5).toArray();
    double difference = 0;
    for (int i = 0; i < cells; i++) {
      difference += shareWin[i] * meanWin[i] - shareRef[i] * meanRef[i];
    }
    Kitagawa.Parts anchored = Kitagawa.anchored(shareRef, meanRef, shareWin, meanWin);
    Kitagawa.Parts midpoint = Kitagawa.midpoint(shareRef, meanRef, shareWin, meanWin);
    double interaction = Kitagawa.interaction(shareRef, meanRef, shareWin, meanWin);
    assertThat(anchored.total()).isCloseTo(difference, within(1e-12));
    assertThat(midpoint.total()).isCloseTo(difference, within(1e-12));
    assertThat(midpoint.mix()).isCloseTo(anchored.mix() + interaction / 2, within(1e-12));
  }

  private static double[] shares(SplittableRandom random, int cells) {
    double[] share = random.doubles(cells).toArray();
    double total = Arrays.stream(share).sum();
    return Arrays.stream(share).map(x -> x / total).toArray();
  }

  @Test
  void doesNotReadMeans_whenTheirCellsAreEmpty() {
    double[] shareRef = {0.5, 0.5, 0};
    double[] shareWin = {1, 0, 0};
    Kitagawa.Parts parts =
        Kitagawa.anchored(
            shareRef,
            new double[] {1, 3, Double.NaN},
            shareWin,
            new double[] {1.5, Double.NaN, Double.NaN});
    assertThat(parts).isEqualTo(new Kitagawa.Parts(-1, 0.5));
  }

  @Test
  void refuses_whenArgumentsAreOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Shapley.of(new double[6]))
        .withMessage("6 worths: must be a power of two, up to 2^20");
    assertThatIllegalArgumentException().isThrownBy(() -> Shapley.of(new double[0]));
    double[] two = new double[2];
    double[] three = new double[3];
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Kitagawa.anchored(two, two, three, two))
        .withMessage("shareWindow has 3 entries: must be as many as in shareReference, 2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MechanismShapley.of(new double[][] {two}, new double[][] {three}, two));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> MechanismShapley.of(new double[][] {two}, new double[0][], two));
  }
}
