package io.servedrift.ingest.files;

import java.util.List;

/** A mapping file that cannot be used; carries every problem found, not only the first. */
public final class MappingException extends Exception {
  private static final long serialVersionUID = 1L;

  private final List<String> problems;

  MappingException(String origin, List<String> problems) {
    super(
        origin
            + ": "
            + problems.size()
            + (problems.size() == 1 ? " problem" : " problems")
            + problems.stream().map(p -> "\n  " + p).reduce("", String::concat));
    this.problems = List.copyOf(problems);
  }

  /** One line each: where, value, what is allowed. */
  public List<String> problems() {
    return problems;
  }
}
