package io.servedrift.monitors.gate.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * Chooses prompts in proportion to their classes: largest remainders, at least one of each class
 * while there is room. The same seed chooses the same. Stateless.
 */
final class PromptSample {
  private PromptSample() {}

  /**
   * Chooses.
   *
   * @param most how many at most
   * @param traffic live requests by class, which then set the proportions; empty for those of the
   *     file
   * @return in the order of the file
   */
  static List<GatePrompt> of(
      List<GatePrompt> prompts, int most, Map<String, Long> traffic, long seed) {
    if (prompts.size() <= most) {
      return List.copyOf(prompts);
    }
    Map<String, List<GatePrompt>> strata = new TreeMap<>();
    prompts.forEach(
        one -> strata.computeIfAbsent(one.stratum(), name -> new ArrayList<>()).add(one));
    Map<String, Integer> shares = shares(strata, weights(strata, traffic), most);
    SplittableRandom random = new SplittableRandom(seed);
    List<GatePrompt> chosen = new ArrayList<>();
    strata.forEach(
        (name, all) -> {
          shuffle(all, random);
          chosen.addAll(all.subList(0, shares.getOrDefault(name, 0)));
        });
    chosen.sort(Comparator.comparingInt(GatePrompt::index));
    return chosen;
  }

  private static Map<String, Double> weights(
      Map<String, List<GatePrompt>> strata, Map<String, Long> traffic) {
    Map<String, Double> weights = new TreeMap<>();
    boolean known = strata.keySet().stream().anyMatch(traffic::containsKey);
    strata.forEach(
        (name, all) ->
            weights.put(
                name, known ? (double) traffic.getOrDefault(name, 0L) : (double) all.size()));
    return weights;
  }

  private static Map<String, Integer> shares(
      Map<String, List<GatePrompt>> strata, Map<String, Double> weights, int most) {
    double all = weights.values().stream().mapToDouble(Double::doubleValue).sum();
    Map<String, Integer> shares = new LinkedHashMap<>();
    Map<String, Double> rests = new LinkedHashMap<>();
    int given = 0;
    for (Map.Entry<String, List<GatePrompt>> stratum : strata.entrySet()) {
      int room = stratum.getValue().size();
      double exact = Math.min(room, most * weights.getOrDefault(stratum.getKey(), 0.0) / all);
      int share = given < most ? Math.max(1, (int) exact) : 0;
      shares.put(stratum.getKey(), share);
      rests.put(stratum.getKey(), exact - share);
      given += share;
    }
    List<String> byRest =
        rests.entrySet().stream()
            .sorted(
                Map.Entry.<String, Double>comparingByValue()
                    .reversed()
                    .thenComparing(Map.Entry.comparingByKey()))
            .map(Map.Entry::getKey)
            .toList();
    for (int i = 0; given < most; i = (i + 1) % byRest.size()) {
      String name = byRest.get(i);
      if (shares.getOrDefault(name, 0) < strata.getOrDefault(name, List.of()).size()) {
        shares.merge(name, 1, Integer::sum);
        given++;
      }
    }
    // The least share of one each can exceed the room: the largest classes give way.
    while (given > most) {
      String largest =
          shares.entrySet().stream()
              .max(Map.Entry.comparingByValue())
              .map(Map.Entry::getKey)
              .orElseThrow();
      shares.merge(largest, -1, Integer::sum);
      given--;
    }
    return shares;
  }

  /** Fisher-Yates. */
  static <T> void shuffle(List<T> list, SplittableRandom random) {
    for (int i = list.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      T swapped = list.get(i);
      list.set(i, list.get(other));
      list.set(other, swapped);
    }
  }
}
