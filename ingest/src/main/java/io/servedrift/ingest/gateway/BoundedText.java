package io.servedrift.ingest.gateway;

/**
 * Text that may be looked at so often only: a regular expression that backtracks without end fails
 * on it instead. One thread at a time.
 */
final class BoundedText implements CharSequence {

  private static final int LOOKS = 2_000_000;

  private final String text;
  private int looks;

  BoundedText(String text) {
    this.text = text;
  }

  /**
   * @throws IllegalStateException after two million looks
   */
  @Override
  public char charAt(int index) {
    if (++looks > LOOKS) {
      throw new IllegalStateException("a pattern takes more than " + LOOKS + " steps");
    }
    return text.charAt(index);
  }

  @Override
  public int length() {
    return text.length();
  }

  @Override
  public CharSequence subSequence(int start, int end) {
    return text.substring(start, end);
  }

  @Override
  public String toString() {
    return text;
  }
}
