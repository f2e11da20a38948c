package io.servedrift.monitors.judge;

import java.util.Locale;

/** What a family of tests compares with. */
enum Basis {
  /** The series itself, before. */
  LEARNED(0),
  /** A range of time that the policy or a person named. */
  PINNED(1),
  /** What the same deployment ran before this model or configuration. */
  PREDECESSOR(2),
  /** The whole deployment before, its traffic not set aside: load and mix show here. */
  MARGINAL(3);

  /** Word in findings for a recorded evaluation, which is no basis of families: it has no cells. */
  static final String EVAL_WORD = "eval";

  private final int code;

  Basis(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static Basis of(int code) {
    for (Basis basis : values()) {
      if (basis.code == code) {
        return basis;
      }
    }
    throw new IllegalArgumentException("basis " + code + ": must be 0 to 3");
  }

  /** Word in findings. */
  String word() {
    return this == MARGINAL ? "learned" : name().toLowerCase(Locale.ROOT);
  }
}
