package io.servedrift.monitors.cli;

import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import java.util.function.Predicate;
import org.apache.avro.specific.SpecificRecord;

/**
 * Lets pass what one node served and what happened to it or to all of them. A late score names no
 * node: it passes, and finds its request or not.
 *
 * @param node its name
 */
record NodeFilter(String node) implements Predicate<SpecificRecord> {
  @Override
  public boolean test(SpecificRecord event) {
    if (event instanceof RequestEvent request) {
      return node.equals(request.getNode());
    }
    if (event instanceof Heartbeat heartbeat) {
      return node.equals(heartbeat.getNode());
    }
    return !(event instanceof ServingEvent happened)
        || happened.getNode() == null
        || node.equals(happened.getNode());
  }
}
