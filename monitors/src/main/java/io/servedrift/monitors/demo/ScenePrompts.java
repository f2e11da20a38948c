package io.servedrift.monitors.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/**
 * Prompts in the words of the small world that the node's model draws: one object, two, or a scene
 * of three or four with a place for each. Some prompts are popular and come again and again, so
 * that a cache has something to hit; the others are new. The popular ones follow from the seed.
 * Immutable, so safe for use by several threads that have a generator each.
 */
public final class ScenePrompts {
  private static final List<String> COLOURS =
      List.of("red", "green", "blue", "yellow", "purple", "orange");
  private static final List<String> SHAPES = List.of("circle", "square", "triangle", "star");
  private static final List<String> SIZES = List.of("small ", "", "", "large ");
  private static final List<String> GROUNDS = List.of("white", "gray", "black");
  private static final List<String> PLACES =
      List.of(
          "at the top left",
          "at the top",
          "at the top right",
          "on the left",
          "in the middle",
          "on the right",
          "at the bottom left",
          "at the bottom",
          "at the bottom right");
  private static final List<String> RELATIONS =
      List.of("to the left of", "to the right of", "above", "below");

  private static final int POPULAR = 40;

  private final List<ScenePrompt> popular;
  private final double popularShare;

  /**
   * What is asked for.
   *
   * @param text in plain words
   * @param promptClass {@code one}, {@code pair} or {@code scene}
   */
  public record ScenePrompt(String text, String promptClass) {}

  /**
   * Prompts of which the popular ones follow from a seed.
   *
   * @param popularShare share of the requests with a popular prompt, 0 to 1
   */
  public ScenePrompts(long seed, double popularShare) {
    this.popularShare = popularShare;
    SplittableRandom random = new SplittableRandom(seed);
    List<ScenePrompt> drawn = new ArrayList<>();
    for (int i = 0; i < POPULAR; i++) {
      drawn.add(fresh(random));
    }
    popular = List.copyOf(drawn);
  }

  /** Those that come again and again, in an order that follows from the seed. */
  public List<ScenePrompt> popular() {
    return popular;
  }

  /** The next prompt of a client. */
  public ScenePrompt draw(RandomGenerator random) {
    return random.nextDouble() < popularShare ? any(popular, random) : fresh(random);
  }

  private static ScenePrompt fresh(RandomGenerator random) {
    return switch (random.nextInt(3)) {
      case 0 -> new ScenePrompt(object(random) + ground(random), "one");
      case 1 ->
          new ScenePrompt(
              object(random) + " " + any(RELATIONS, random) + " " + object(random) + ground(random),
              "pair");
      default -> new ScenePrompt(scene(random) + ground(random), "scene");
    };
  }

  private static String scene(RandomGenerator random) {
    List<String> places = new ArrayList<>(PLACES);
    int count = 3 + random.nextInt(2);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      String place = places.remove(random.nextInt(places.size()));
      text.append(i == 0 ? "" : i == count - 1 ? " and " : ", ");
      text.append(object(random)).append(' ').append(place);
    }
    return text.toString();
  }

  private static String object(RandomGenerator random) {
    String phrase = any(SIZES, random) + any(COLOURS, random) + " " + any(SHAPES, random);
    return (phrase.startsWith("o") ? "an " : "a ") + phrase;
  }

  /** Hardly more than every third prompt says what the background is. */
  private static String ground(RandomGenerator random) {
    return random.nextDouble() < .4 ? " on a " + any(GROUNDS, random) + " background" : "";
  }

  private static <T> T any(List<T> all, RandomGenerator random) {
    return all.get(random.nextInt(all.size()));
  }
}
