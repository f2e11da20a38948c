package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.ArmPair;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.PairDistance;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.RollbackEvidence;
import io.servedrift.monitors.gate.RunSettings;
import io.servedrift.monitors.gate.TrafficProfile;
import java.io.IOException;
import java.util.List;

/** Writes what happens into the journal and the record alike. Not thread-safe. */
final class RunLog implements Distances.Sink {
  private final RunRecord record;
  private final Journal journal;

  RunLog(RunRecord record, Journal journal) {
    this.record = record;
    this.journal = journal;
  }

  RunRecord record() {
    return record;
  }

  Journal journal() {
    return journal;
  }

  private static ObjectNode line(String kind) {
    return Journal.JSON.createObjectNode().put("kind", kind);
  }

  private static ObjectNode ofStep(String kind, String step) {
    return line(kind).put("step", step);
  }

  void plan(RunIdentity identity) throws IOException {
    journal.append("plan", "plan", identity.plan());
  }

  void facts(boolean afterwards, EndpointFacts facts) throws IOException {
    record.facts(afterwards, facts);
    ObjectNode line = line("facts").put("when", afterwards ? "after" : "before");
    line.set("facts", Journal.JSON.valueToTree(facts));
    journal.append(line);
  }

  void settings(RunSettings settings) throws IOException {
    record.settings(settings);
    journal.append("settings", "settings", settings);
  }

  void traffic(TrafficProfile traffic) throws IOException {
    record.traffic(traffic);
    journal.append("traffic", "traffic", RunRecord.tree(traffic));
  }

  void peak(double perSecond) throws IOException {
    record.peak(perSecond);
    journal.append(line("peak").put("per_second", perSecond));
  }

  /** A step's answers, and then that it is done: a part of them never counts. */
  void step(String step, List<Answer> answers) throws IOException {
    journal.append(ofStep("begun", step));
    record.begin(step);
    for (Answer answer : answers) {
      ObjectNode line = ofStep("answer", step);
      line.set("answer", Journal.JSON.valueToTree(answer));
      journal.append(line);
      record.add(step, answer);
    }
    journal.append(ofStep("done", step));
    record.finish(step);
    journal.sync();
  }

  /** A flip begins, or has ended with the old side back: on the disk before it is done. */
  void flip(boolean begins) throws IOException {
    record.flip(begins);
    journal.append(line("flip").put("begun", begins));
    journal.sync();
  }

  void rollback(String step, Rollback.Done done) throws IOException {
    RollbackEvidence evidence = done.evidence();
    record.rollback(evidence);
    journal.append("rollback", "rollback", evidence);
    step(step, done.answers());
  }

  void readiness(Readiness readiness) throws IOException {
    record.readiness(readiness);
    journal.append("readiness", "readiness", readiness);
  }

  @Override
  public boolean has(ArmPair pair, int prompt, long seed) {
    return record.hasDistance(pair, prompt, seed);
  }

  @Override
  public void add(PairDistance distance) throws IOException {
    record.add(distance);
    journal.append("distance", "distance", distance);
  }

  void sync() throws IOException {
    journal.sync();
  }
}
