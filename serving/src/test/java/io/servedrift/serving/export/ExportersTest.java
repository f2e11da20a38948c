package io.servedrift.serving.export;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The exporters are Python; their own tests run here. */
class ExportersTest {

  @TempDir private Path temporary;

  /** Needs torch (Debian: python3-torch); without it this fails. */
  @Test
  void pass() throws IOException, InterruptedException {
    Path output = temporary.resolve("output.txt");
    ProcessBuilder builder =
        new ProcessBuilder("/usr/bin/python3", "-B", "test_export.py")
            .directory(Path.of("export").toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("OMP_NUM_THREADS", "1");
    Process tests = builder.start();
    try {
      assertThat(tests.waitFor(10, TimeUnit.MINUTES)).as("ended").isTrue();
    } finally {
      tests.destroyForcibly();
    }

    String told = Files.readString(output, StandardCharsets.UTF_8);
    assertThat(tests.exitValue()).as(told).isZero();
    assertThat(told).containsPattern("Ran [1-9][0-9]* tests").contains("OK");
  }
}
