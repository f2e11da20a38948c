package io.servedrift.monitors.judge;

import java.util.Locale;

/** Whom a finding reaches. */
enum Severity {
  INFO(0),
  TICKET(1),
  PAGE(2);

  private final int code;

  Severity(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }

  static Severity of(int code) {
    for (Severity severity : values()) {
      if (severity.code == code) {
        return severity;
      }
    }
    throw new IllegalArgumentException("severity " + code + ": must be 0 to 2");
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
