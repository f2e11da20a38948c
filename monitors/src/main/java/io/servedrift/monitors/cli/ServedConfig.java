package io.servedrift.monitors.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.ingest.capture.CaptureText;
import io.servedrift.ingest.capture.Captured;
import io.servedrift.ingest.capture.ConfigTracker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration in the files of {@code --as-config}, together. While a source is followed they
 * are looked at again, so that whoever saves the answers of a runtime there tells its changes; one
 * that cannot be used at a later look changes nothing. Not thread-safe.
 */
final class ServedConfig {
  private static final Logger LOG = LoggerFactory.getLogger(ServedConfig.class);
  private static final long MOST_BYTES = 4L << 20;
  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(5);

  private final List<Path> files;
  private final Clock clock;
  private final @Nullable ConfigTracker tracker;
  private List<String> seen;
  private Captured captured;
  private Instant looked = Instant.EPOCH;

  private ServedConfig(List<Path> files, Clock clock, @Nullable ConfigTracker tracker) {
    this.files = List.copyOf(files);
    this.clock = clock;
    this.tracker = tracker;
    this.seen = states();
    this.captured = read(this.files);
  }

  /**
   * Reads the files.
   *
   * @param files at least one
   * @param deployment of which changes are told; null when it is not known: then none are
   * @param node that is configured so, null when it is not known
   * @throws CommandFailure naming every file that cannot be used
   */
  static ServedConfig of(
      List<Path> files, Clock clock, @Nullable String deployment, @Nullable String node) {
    return new ServedConfig(
        files, clock, deployment == null ? null : new ConfigTracker(deployment, node));
  }

  /** The configuration as it was at the last look. */
  Optional<Captured> now() {
    return Optional.of(captured);
  }

  /** Looks again, every few seconds, and tells what is new, as events of the contract. */
  List<ObjectNode> news() {
    Instant at = clock.instant();
    if (looked.plus(BETWEEN_LOOKS).isAfter(at)) {
      return List.of();
    }
    looked = at;
    List<String> states = states();
    if (!states.equals(seen)) {
      seen = states;
      try {
        captured = read(files);
      } catch (CommandFailure unusable) {
        LOG.warn("the configuration known so far stays: {}", unusable.getMessage());
      }
    }
    return tracker == null ? List.of() : tracker.observe(captured, null, at);
  }

  private static Captured read(List<Path> files) {
    List<CaptureText> texts = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    for (Path file : files) {
      try {
        if (Files.size(file) > MOST_BYTES) {
          problems.add("--as-config " + file + ": must be at most " + MOST_BYTES + " bytes");
          continue;
        }
        String content = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        CaptureText text = CaptureText.of(content);
        if (text == null) {
          problems.add("--as-config " + file + ": " + whyNone(content));
        } else {
          texts.add(text);
        }
      } catch (IOException e) {
        problems.add("--as-config " + file + ": must be a readable file");
      }
    }
    if (!problems.isEmpty()) {
      throw CommandFailure.usage(String.join("\n", problems));
    }
    return CaptureText.together(texts);
  }

  private static String whyNone(String content) {
    String fault = CaptureText.fault(content);
    return fault != null
        ? "holds " + fault + "; must be whole"
        : "holds no configuration; must be an answer of /server_info or /v1/list_loras, a manifest"
            + " of OME or KServe, a log with the server's arguments, a config record, or an"
            + " environment (NAME=VALUE lines or JSON)";
  }

  /** What tells one content of the files from the next. */
  private List<String> states() {
    List<String> states = new ArrayList<>();
    for (Path file : files) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        states.add(
            attributes.fileKey() + " " + attributes.lastModifiedTime() + " " + attributes.size());
      } catch (IOException e) {
        states.add("");
      }
    }
    return states;
  }
}
