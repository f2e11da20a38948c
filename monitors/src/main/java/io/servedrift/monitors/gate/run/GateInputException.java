package io.servedrift.monitors.gate.run;

import java.util.List;

/** Something the user gave to the gate cannot be used; says all that is wrong with it at once. */
public final class GateInputException extends Exception {
  private static final long serialVersionUID = 1L;
  private static final int MOST_SHOWN = 20;

  /**
   * Takes what is wrong.
   *
   * @param problems one line each: what, the value, what is allowed, where; no prompt text
   */
  public GateInputException(List<String> problems) {
    super(text(problems));
  }

  /** One thing is wrong. */
  public GateInputException(String problem) {
    super(problem);
  }

  private static String text(List<String> problems) {
    List<String> shown = problems.subList(0, Math.min(MOST_SHOWN, problems.size()));
    String text = String.join("\n", shown);
    int more = problems.size() - shown.size();
    return more == 0 ? text : text + "\nand " + more + " more";
  }
}
