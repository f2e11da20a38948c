package io.servedrift.monitors.cli;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.CodeSource;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where the serving node and its models are. In the source tree the jar of this program is {@code
 * monitors/target/servedrift.jar}, and the others lie beside it in {@code serving}.
 *
 * @param jar of the node
 * @param pipeline directory of the model
 * @param scorer directory of the scorer
 */
record ServingFiles(Path jar, Path pipeline, Path scorer) {
  private static final String OFF_BY_ONE = "scenes-off-by-one";

  /**
   * What was named, the rest from where this program is.
   *
   * @throws CommandFailure when something is not there
   */
  static ServingFiles find(@Nullable Path jar, @Nullable Path models) {
    Path root = root();
    Path serving = root == null ? Path.of("serving") : root.resolve("serving");
    Path node = jar == null ? serving.resolve("target/servedrift-serving.jar") : jar;
    Path folder = models == null ? serving.resolve("models") : models;
    require(node, "--serving-jar FILE names it; ./servedrift builds it");
    require(folder.resolve("scenes/pipeline.json"), "--models DIR names the folder");
    require(folder.resolve("clip-scenes/scorer.json"), "--models DIR names the folder");
    return new ServingFiles(node, folder.resolve("scenes"), folder.resolve("clip-scenes"));
  }

  /**
   * Makes sure that {@link #copyOffByOne} has what it needs.
   *
   * @throws CommandFailure when it has not
   */
  void requireOffByOne() {
    require(
        pipeline.resolveSibling(OFF_BY_ONE).resolve("pipeline.json"),
        "--models DIR names the folder");
  }

  /**
   * Lays the files of a text encoder that is wrong on purpose over a copy of the model.
   *
   * @param target is made
   */
  void copyOffByOne(Path target) throws IOException {
    Files.createDirectories(target);
    for (Path folder : List.of(pipeline, pipeline.resolveSibling(OFF_BY_ONE))) {
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          Files.copy(
              file,
              target.resolve(String.valueOf(file.getFileName())),
              StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  private static void require(Path file, String hint) {
    if (!Files.isReadable(file)) {
      throw CommandFailure.usage(
          file
              + ": not found, the demonstration runs a real node; "
              + hint
              + "; --synthetic needs none");
    }
  }

  /** The folder with {@code monitors} in it, null when this program lies somewhere else. */
  private static @Nullable Path root() {
    CodeSource source = ServingFiles.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return null;
    }
    try {
      Path own = Path.of(source.getLocation().toURI());
      Path target = own.getParent();
      Path module = target == null ? null : target.getParent();
      return module == null ? null : module.getParent();
    } catch (URISyntaxException e) {
      return null;
    }
  }
}
