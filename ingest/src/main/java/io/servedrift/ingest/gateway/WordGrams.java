package io.servedrift.ingest.gateway;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * How much a text repeats itself: the share of its word 4-grams that were there before, 1 - unique
 * / all (seq-rep-4, Welleck et al. 2020, Neural Text Generation With Unlikelihood Training, section
 * 6). Looks at words in place, for it is done with every answer.
 */
final class WordGrams {

  private static final int GRAM = 4;
  private static final int MIN_WORDS = 20;
  private static final int MAX_WORDS = 4_096;

  /** A power of two, at least twice the words. */
  private static final int SLOTS = 2 * MAX_WORDS;

  private final String text;

  /** Where each distinct word begins and ends, and the slots of a hash table over their numbers. */
  private final int[] from = new int[MAX_WORDS];

  private final int[] to = new int[MAX_WORDS];
  private final int[] slots = new int[SLOTS];
  private int distinct;

  private WordGrams(String text) {
    this.text = text;
    Arrays.fill(slots, -1);
  }

  /** Share of repeated word 4-grams in the first 4,096 words, null for fewer than 20. */
  static @Nullable Double repetition(String text) {
    return new WordGrams(text.strip()).repetition();
  }

  private @Nullable Double repetition() {
    long[] grams = new long[MAX_WORDS];
    int count = 0;
    long gram = 0;
    int at = skip(0, true);
    while (at < text.length() && count < MAX_WORDS) {
      int end = skip(at, false);
      // The last four words, 16 bits each: fewer than 2^16 words are looked at.
      gram = gram << 16 | number(at, end);
      grams[count++] = gram;
      at = skip(end, true);
    }
    if (count < MIN_WORDS) {
      return null;
    }
    int all = count - GRAM + 1;
    Arrays.sort(grams, GRAM - 1, count);
    int unique = 1;
    for (int i = GRAM; i < count; i++) {
      if (grams[i] != grams[i - 1]) {
        unique++;
      }
    }
    return 1 - (double) unique / all;
  }

  private int skip(int start, boolean spaces) {
    int at = start;
    while (at < text.length() && isSpace(text.charAt(at)) == spaces) {
      at++;
    }
    return at;
  }

  private static boolean isSpace(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  }

  /** The number of a word, a new one for a word that was not there yet. */
  private int number(int start, int end) {
    int hash = 0;
    for (int i = start; i < end; i++) {
      hash = 31 * hash + text.charAt(i);
    }
    int slot = ((hash ^ (hash >>> 16)) * 0x9E3779B1) >>> 19;
    while (slots[slot] >= 0) {
      int word = slots[slot];
      int length = end - start;
      if (to[word] - from[word] == length && text.regionMatches(from[word], text, start, length)) {
        return word;
      }
      slot = (slot + 1) & (SLOTS - 1);
    }
    slots[slot] = distinct;
    from[distinct] = start;
    to[distinct] = end;
    return distinct++;
  }
}
