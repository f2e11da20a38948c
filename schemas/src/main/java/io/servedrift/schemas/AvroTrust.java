package io.servedrift.schemas;

import org.apache.avro.util.ClassSecurityValidator;

/**
 * Lets Avro instantiate our generated classes. Since 1.12.2 it refuses every class that nobody
 * vouched for, its own generated ones included, and only when reading: code that merely writes
 * never notices. Idempotent and thread-safe.
 */
public final class AvroTrust {
  private static final String OURS = "io.servedrift.schemas.avro.";

  static {
    ClassSecurityValidator.setGlobal(
        ClassSecurityValidator.composite(
            ClassSecurityValidator.getGlobal(), c -> c.getName().startsWith(OURS)));
  }

  private AvroTrust() {}

  /**
   * Grants the trust. Everything in this package calls it; code that uses builders of the generated
   * classes ({@code newBuilder()} resolves defaults through Avro) before anything else must call it
   * itself.
   */
  public static void grant() {
    // Done once, when the class is initialised.
  }
}
