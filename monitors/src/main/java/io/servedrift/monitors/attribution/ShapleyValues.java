package io.servedrift.monitors.attribution;

/** Shapley values of a game with few players (Shapley 1953), by the sum over all coalitions. */
final class ShapleyValues {
  private ShapleyValues() {}

  /**
   * Value of each player.
   *
   * @param players number of players
   * @param value of each coalition, by its bit mask
   */
  static double[] of(int players, double[] value) {
    double[] weight = new double[players];
    for (int size = 0; size < players; size++) {
      weight[size] = factorial(size) * factorial(players - size - 1) / factorial(players);
    }
    double[] result = new double[players];
    for (int coalition = 0; coalition < value.length; coalition++) {
      for (int player = 0; player < players; player++) {
        int bit = 1 << player;
        if ((coalition & bit) == 0) {
          result[player] +=
              weight[Integer.bitCount(coalition)] * (value[coalition | bit] - value[coalition]);
        }
      }
    }
    return result;
  }

  private static double factorial(int n) {
    return n < 2 ? 1 : n * factorial(n - 1);
  }
}
