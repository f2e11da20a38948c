/**
 * The judgement of the release gate: recorded answers of an old and a new endpoint in, a verdict
 * per check out. {@link GateJudge#judge} is a pure function of {@link Evidence} and policy, so what
 * a run recorded can be judged again. Called by {@code gate.run}, by the command line and by tests.
 * May import {@code stats}, {@code policy}, {@code pane}, {@code text} and the schemas; no HTTP, no
 * Kafka, no clock, no file.
 */
@NullMarked
package io.servedrift.monitors.gate;

import org.jspecify.annotations.NullMarked;
