package io.servedrift.schemas;

/** Tells what must not be stored, by the rules that configurations follow. Thread-safe. */
public final class Secrets {
  private Secrets() {}

  /** Whether what goes by this name is a secret: {@code api_key}, {@code --hf-token}, ... */
  public static boolean isName(String name) {
    return Sensitive.isSecretName(name);
  }

  /** Whether a text looks like a secret whatever its name is, or holds one. */
  public static boolean isValue(String value) {
    return Sensitive.isSecretValue(value);
  }
}
