package io.servedrift.serving.engine;

import java.nio.file.Path;
import java.util.List;

/** A pipeline directory that cannot be used; the message lists everything that is wrong with it. */
public final class InvalidPipelineException extends Exception {

  private static final long serialVersionUID = 1;

  private final transient List<String> problems;

  InvalidPipelineException(Path directory, List<String> problems) {
    super(directory + " is no usable pipeline:\n  " + String.join("\n  ", problems));
    this.problems = List.copyOf(problems);
  }

  InvalidPipelineException(Path directory, String problem, Throwable cause) {
    this(directory, List.of(problem));
    initCause(cause);
  }

  /** Each problem, in the order of the manifest. */
  public List<String> problems() {
    return problems;
  }
}
