package io.servedrift.monitors.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The stream in the docstrings of river's drift detectors: random.Random(12345), a thousand draws
 * of 0 or 1, then a thousand of 4 to 7. They print a change at index 1023 for ADWIN and at 1006 for
 * Page-Hinkley.
 */
final class RiverStream {
  private RiverStream() {}

  private static String digits() {
    try (InputStream in = RiverStream.class.getResourceAsStream("/testkit/river-docs-stream.txt")) {
      if (in == null) {
        throw new IllegalStateException("/testkit/river-docs-stream.txt: not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Indices, from 0, of the values at which a detector says that the stream changed. */
  static List<Integer> detections(StreamDetector detector) {
    String digits = digits();
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < digits.length(); i++) {
      if (detector.update(digits.charAt(i) - '0')) {
        found.add(i);
      }
    }
    return found;
  }
}
