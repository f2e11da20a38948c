package io.servedrift.monitors.page;

/**
 * A query parameter that cannot be used: answered with 400, naming parameter, value and what is
 * allowed.
 */
final class BadParameter extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int SHOWN = 100;

  private final String parameter;
  private final String value;
  private final String allowed;

  BadParameter(String parameter, String value, String allowed) {
    super(parameter + "=" + cut(value) + ": must be " + allowed);
    this.parameter = cut(parameter);
    this.value = cut(value);
    this.allowed = allowed;
  }

  private static String cut(String text) {
    return text.length() > SHOWN ? text.substring(0, SHOWN) + "\u2026" : text;
  }

  String parameter() {
    return parameter;
  }

  String value() {
    return value;
  }

  String allowed() {
    return allowed;
  }
}
