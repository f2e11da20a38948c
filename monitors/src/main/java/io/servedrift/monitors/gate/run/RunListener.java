package io.servedrift.monitors.gate.run;

/** Is told how a run goes. Called from any thread. */
public interface RunListener {
  /** Something a person should know, one line. */
  void said(String line);

  /**
   * How far it is.
   *
   * @param done requests answered
   * @param total requests planned, 0 when that is not known
   */
  void progress(long done, long total);

  /** The estimate, before anything is sent but the few requests it was made with. */
  void estimated(RunEstimate estimate);
}
