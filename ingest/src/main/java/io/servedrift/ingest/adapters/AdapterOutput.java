package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.Problem;
import java.util.List;

/**
 * Takes what an adapter makes. Each call but {@link #note} stands for one record of the source;
 * what a line says about five requests is five calls.
 */
public interface AdapterOutput {
  /**
   * An event.
   *
   * @param publicJson in the shape of the contract, not validated yet; not used by the adapter
   *     afterwards
   * @param from line that completed it
   */
  void event(ObjectNode publicJson, SourceLine from);

  /**
   * A record that gives no event of its own, on purpose.
   *
   * @param reason a fixed sentence, counted by it
   */
  void skip(String reason, SourceLine from);

  /**
   * A record that should have given an event and cannot.
   *
   * @param reason code, one of those of schemas
   * @param problems at least one; without anything that a user wrote
   */
  void reject(String reason, List<Problem> problems, SourceLine from);

  /**
   * Something that was left out of an event because it cannot be true.
   *
   * @param what a fixed sentence, counted by it
   */
  void note(String what);
}
