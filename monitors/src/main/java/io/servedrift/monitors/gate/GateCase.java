package io.servedrift.monitors.gate;

/** What every check looks at. */
record GateCase(Evidence evidence, GatePolicy policy, Answers answers) {
  static GateCase of(Evidence evidence, GatePolicy policy) {
    return new GateCase(evidence, policy, new Answers(evidence.answers()));
  }

  EndpointProfile profile(Side side) {
    return evidence.before(side).profile();
  }
}
