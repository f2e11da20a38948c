package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Side;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;

/** Both endpoints of a run, each known once it was met. Not thread-safe while they are met. */
final class Sides {
  private static final double NANOS = 1e9;

  /** A side that was met. */
  private record Known(Endpoint endpoint, FactsReader reader) {}

  private final RunInput input;
  private final Timeline timeline;
  private final Map<Side, Known> known = new EnumMap<>(Side.class);

  Sides(RunInput input, Timeline timeline) {
    this.input = input;
    this.timeline = timeline;
  }

  /**
   * Finds out what a side is and how to speak to it.
   *
   * @throws GateInputException when one makes images and the other answers chats
   * @throws UnreachableException when nothing answers
   */
  EndpointFacts meet(Side side) throws GateInputException, UnreachableException {
    EndpointAccess access = input.access(side);
    Caller caller = new HttpCaller(access, timeline);
    FactsReader reader = new FactsReader(side, access, caller, input.declared(side));
    FactsReader.Found found = reader.read();
    if (!found.reached()) {
      throw new UnreachableException(
          "--" + side.label() + " " + access + ": nothing answers there");
    }
    known.put(side, new Known(new Endpoint(caller, found.declared()), reader));
    for (Known one : known.values()) {
      if (one.endpoint().profile().modality() != found.facts().profile().modality()) {
        throw new GateInputException("one endpoint makes images, the other answers chats");
      }
    }
    return found.facts();
  }

  private Known known(Side side) {
    Known one = known.get(side);
    if (one == null) {
      throw new IllegalStateException(side + " was not asked yet what it is");
    }
    return one;
  }

  Endpoint endpoint(Side side) {
    return known(side).endpoint();
  }

  EndpointProfile profile(Side side) {
    return endpoint(side).profile();
  }

  boolean makeImages() {
    return profile(Side.OLD).modality() == Modality.IMAGE;
  }

  /** What a side is now. */
  EndpointFacts factsNow(Side side) {
    return known(side).reader().read().facts();
  }

  /** Sends the first requests, one at a time. */
  Probe probe(Side side, GatePrompt prompt) {
    Endpoint endpoint = endpoint(side);
    Double seconds = null;
    SortedSet<String> failures = new TreeSet<>();
    for (int i = 0; i < Probe.REQUESTS; i++) {
      long begin = timeline.nanos();
      Call call = endpoint.dialect().call(prompt, i, Dialect.Mode.CLEAN, "gate-probe-" + i);
      Reply reply = endpoint.send(call).join();
      String failure =
          reply.ok() ? endpoint.dialect().read(reply, false).error() : reply.codeOfFailure();
      if (failure == null) {
        seconds = (reply.doneNanos() - begin) / NANOS;
      } else {
        failures.add(failure);
      }
    }
    return new Probe(side, input.access(side).toString(), seconds, failures);
  }

  /**
   * How the way back is tried.
   *
   * @param before the old side before the run
   * @param wanted the new side before the run
   * @param log takes what a flip command prints
   */
  Rollback.Setting wayBack(
      EndpointFacts before, EndpointFacts wanted, List<GatePrompt> prompts, Path log) {
    if (input.flipCommand() == null || input.switched() == null) {
      return new Rollback.Setting(
          before,
          wanted,
          endpoint(Side.NEW),
          endpoint(Side.OLD),
          known(Side.OLD).reader()::read,
          known(Side.NEW).reader()::read,
          null,
          prompts);
    }
    Caller caller = new HttpCaller(input.switched(), timeline);
    FactsReader reader = new FactsReader(Side.OLD, input.switched(), caller, input.oldDeclared());
    FactsReader readerOfNew =
        new FactsReader(Side.NEW, input.switched(), caller, input.newDeclared());
    Endpoint through = new Endpoint(caller, reader.read().declared());
    FlipCommand command = new FlipCommand(input.flipCommand(), input.options().flipLimit(), log);
    return new Rollback.Setting(
        before, wanted, through, through, reader::read, readerOfNew::read, command, prompts);
  }
}
