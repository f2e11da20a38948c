package io.servedrift.monitors.judge;

import java.util.Locale;

/** Whom a finding reaches. */
enum Severity {
  INFO,
  TICKET,
  PAGE;

  /** Word in findings. */
  String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
