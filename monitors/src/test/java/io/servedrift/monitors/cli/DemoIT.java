package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demonstration as a user starts it: real images, and the right cause of what is wrong. */
@Tag("alone")
class DemoIT {
  private static final Path NODE = Path.of("../serving/target/servedrift-serving.jar");
  private static final Path MODELS = Path.of("../serving/models");

  /** Three acts at their longest, and the starts. */
  private static final long PATIENCE_MINUTES = 16;

  @TempDir Path folder;

  @Test
  void findsTheCacheFault_andLeavesNothingBehind() throws Exception {
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    Path temporary = Files.createDirectory(folder.resolve("tmp"));
    ProcessBuilder builder =
        new ProcessBuilder(command(temporary))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("SERVEDRIFT_"));
    Process demo = builder.start();
    Set<ProcessHandle> nodes = new HashSet<>();
    try {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(PATIENCE_MINUTES);
      while (!demo.waitFor(1, TimeUnit.SECONDS) && System.nanoTime() < end) {
        demo.descendants().forEach(nodes::add);
      }
      assertThat(demo.isAlive()).as(text(err)).isFalse();
    } finally {
      demo.descendants().forEach(ProcessHandle::destroyForcibly);
      demo.destroyForcibly();
    }
    String story = text(out);
    assertThat(demo.exitValue()).as(story + text(err)).isZero();
    assertThat(story).contains("Act one", "Act two", "minute: 2s", "cause cache: ");
    assertThat(story).containsPattern("where .*cache=hit");
    assertThat(story).contains("not   model: the model identity did not change");
    assertThat(story)
        .contains("Act three", "new, cache used against recomputed")
        .contains("The finding's cause, cache, is confirmed.");
    JsonNode alert = alert(story);
    assertThat(alert.at("/labels/metric").asText()).isEqualTo("clip");
    assertThat(alert.at("/annotations/cause").asText()).startsWith("cache");
    // That of each act.
    assertThat(nodes).hasSizeGreaterThanOrEqualTo(2).noneMatch(ProcessHandle::isAlive);
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left.filter(path -> path.getFileName().toString().startsWith("servedrift")))
          .isEmpty();
    }
  }

  private static List<String> command(Path temporary) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx1g", "-Djava.io.tmpdir=" + temporary));
    // The product's own logging, not that of the tests.
    command.add("-Dlogback.configurationFile=logback.xml");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("demo", "--exit-after-verdict", "--http-port", "0"));
    command.addAll(List.of("--serving-jar", NODE.toString(), "--models", MODELS.toString()));
    return command;
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.UTF_8);
  }

  /** The first alert of the story. */
  private static JsonNode alert(String story) throws IOException {
    int heading = story.indexOf("The alert, as Alertmanager gets it");
    int start = story.indexOf("[", heading);
    int end = story.indexOf("\nWhere to look", start);
    return new ObjectMapper().readTree(story.substring(start, end)).get(0);
  }
}
