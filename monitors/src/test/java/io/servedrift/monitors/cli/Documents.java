package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the parts of the documentation that tests compare with the code. */
final class Documents {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private Documents() {}

  /**
   * Compares what stands between {@code <!-- name -->} and {@code <!-- /name -->} in a file with
   * the wanted text; with {@code -Dservedrift.docs.write=true} writes it there.
   */
  static void requirePart(String file, String name, String wanted) {
    String text = read(file);
    String start = "<!-- " + name + " -->\n";
    int from = text.indexOf(start) + start.length();
    int to = text.indexOf("<!-- /" + name + " -->");
    assertThat(text).as(file).contains(start, "<!-- /" + name + " -->");
    if (Boolean.getBoolean("servedrift.docs.write")) {
      write(file, text.substring(0, from) + wanted + text.substring(to));
    } else {
      assertThat(text.substring(from, to)).as(file + ", part " + name).isEqualTo(wanted);
    }
  }

  private static void write(String file, String text) {
    try {
      Files.writeString(ROOT.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String read(String file) {
    try {
      return Files.readString(ROOT.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
