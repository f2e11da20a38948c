package io.servedrift.ingest.gateway;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The canary prompts of a file, and how the gateway knows its own: by a header with a secret of
 * this process, which never reaches the upstream. Immutable.
 */
public final class CanaryPrompts {

  /** Names the canary prompt of a request. */
  static final String HEADER = "X-Servedrift-Canary";

  private final List<Canary> prompts;
  private final String scorer;
  private final String secret = UUID.randomUUID().toString();
  private final Map<String, Canary> byTicket = new HashMap<>();

  CanaryPrompts(List<Canary> prompts, String scorer) {
    this.prompts = List.copyOf(prompts);
    this.scorer = scorer;
    this.prompts.forEach(prompt -> byTicket.put(ticket(prompt), prompt));
  }

  List<Canary> all() {
    return prompts;
  }

  /** How many there are. */
  public int size() {
    return prompts.size();
  }

  /** Name and version of the checks: another file is another scorer. */
  String scorer() {
    return scorer;
  }

  String ticket(Canary prompt) {
    return secret + "/" + prompt.name();
  }

  /** The prompt whose ticket this is, null for anything else. */
  @Nullable Canary of(@Nullable String ticket) {
    return ticket == null ? null : byTicket.get(ticket);
  }
}
