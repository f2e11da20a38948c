package io.servedrift.monitors.stats;

/**
 * Shapley values: each player's share in what a game is worth, the average over all orders of what
 * it adds. They sum to the worth of all minus the worth of none. Shapley (1953). Pure function.
 */
public final class Shapley {
  private static final int MOST_PLAYERS = 20;

  private Shapley() {}

  /**
   * Shares of the players.
   *
   * @param worth of each set of players, by the bits of its index: bit i = player i takes part; a
   *     power of two many, up to 2^20
   * @return one share for each player, in the unit of the worth
   */
  public static double[] of(double[] worth) {
    int players = Integer.numberOfTrailingZeros(worth.length);
    if (Integer.bitCount(worth.length) != 1 || players > MOST_PLAYERS) {
      throw new IllegalArgumentException(
          worth.length + " worths: must be a power of two, up to 2^" + MOST_PLAYERS);
    }
    double[] share = new double[players];
    for (int size = 0; size < players; size++) {
      double weight = 1 / (players * binomial(players - 1, size));
      for (int set = 0; set < worth.length; set++) {
        if (Integer.bitCount(set) == size) {
          for (int player = 0; player < players; player++) {
            if ((set & 1 << player) == 0) {
              share[player] += weight * (worth[set | 1 << player] - worth[set]);
            }
          }
        }
      }
    }
    return share;
  }

  private static double binomial(int n, int k) {
    double result = 1;
    for (int i = 1; i <= k; i++) {
      result = result * (n - k + i) / i;
    }
    return result;
  }
}
