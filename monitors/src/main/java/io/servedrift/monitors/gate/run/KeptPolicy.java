package io.servedrift.monitors.gate.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/** The text of the policy a run was made with, in its folder. Stateless. */
public final class KeptPolicy {
  /** Its file. */
  public static final String NAME = "run-policy.yaml";

  private KeptPolicy() {}

  /** The file, when the folder has it; folders of earlier versions have none. */
  public static Optional<Path> in(Path folder) {
    Path file = folder.resolve(NAME);
    return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
  }

  /** Keeps a text, whole or not at all. */
  static void keep(Path folder, String text) throws IOException {
    Path half = Files.createTempFile(folder, "policy-", ".tmp");
    Files.writeString(half, text);
    Files.move(half, folder.resolve(NAME), StandardCopyOption.REPLACE_EXISTING);
  }
}
