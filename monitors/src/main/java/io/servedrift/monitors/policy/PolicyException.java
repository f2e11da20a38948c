package io.servedrift.monitors.policy;

import java.util.List;

/** The policy cannot be used; carries every problem that was found, not only the first. */
public final class PolicyException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> problems;

  /** One sentence per problem, at least one. */
  public PolicyException(List<String> problems) {
    super(String.join(System.lineSeparator(), problems));
    this.problems = List.copyOf(problems);
  }

  /** One sentence per problem: where, value, what is allowed. */
  public List<String> problems() {
    return problems;
  }
}
