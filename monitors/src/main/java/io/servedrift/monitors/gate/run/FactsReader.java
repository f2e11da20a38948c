package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.EndpointProfile;
import io.servedrift.monitors.gate.Modality;
import io.servedrift.monitors.gate.Side;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Finds out what an endpoint is: what {@code GET /server_info} tells, completed by what its
 * operator declares. Thread-safe.
 */
final class FactsReader {
  private static final String OUR_NODE = "servedrift-serving";

  /**
   * What was found.
   *
   * @param facts for the evidence
   * @param declared how to speak to it
   * @param reached whether anything answered at its address
   */
  record Found(EndpointFacts facts, Declaration declared, boolean reached) {}

  private final Side side;
  private final String url;
  private final UnaryOperator<JsonNode> told;
  private final Caller caller;
  private final Declaration given;

  FactsReader(Side side, EndpointAccess access, Caller caller, Declaration given) {
    this.side = side;
    this.url = access.base().toString();
    this.told = access.told();
    this.caller = caller;
    this.given = given;
  }

  /** Asks it now. */
  Found read() {
    List<String> problems = new ArrayList<>();
    Reply reply = caller.send(Call.get("/server_info")).join();
    if ("http_404".equals(reply.error())) {
      reply = caller.send(Call.get("/get_server_info")).join(); // older releases of SGLang
    }
    boolean reached = reply.error() == null || reply.error().startsWith("http_");
    JsonNode answer = reply.ok() ? StrictBody.object(reply.body()) : null;
    JsonNode info = answer == null ? null : told.apply(answer);
    JsonNode config = part(info, "config");
    JsonNode model = part(info, "model");
    if (config == null && given.config() == null) {
      String why = reply.error() == null ? "nothing that it is known by" : reply.error();
      problems.add("configuration: /server_info answered " + why + ", and no profile declares it");
    }
    config = config == null ? given.config() : config;
    // Runtimes name their model and know no digest of its weights: the operator does.
    boolean digest = model != null && model.path("weights_digest").isTextual();
    model = model == null || (!digest && given.model() != null) ? given.model() : model;
    Declaration declared = info == null ? given : told(info);
    Fingerprint configPrint = print(config, true, problems);
    Fingerprint modelPrint = print(model, false, problems);
    EndpointFacts facts =
        new EndpointFacts(
            side,
            url,
            id(configPrint, true, problems),
            kept(configPrint),
            id(modelPrint, false, problems),
            kept(modelPrint),
            declared.profile(),
            problems);
    return new Found(facts, declared, reached);
  }

  private static @Nullable JsonNode part(@Nullable JsonNode info, String name) {
    JsonNode part = info == null ? null : info.get(name);
    return part == null || !part.isObject() || part.isEmpty() ? null : part;
  }

  private static @Nullable Fingerprint print(
      @Nullable JsonNode node, boolean config, List<String> problems) {
    if (node == null) {
      return null;
    }
    try {
      return config ? ConfigFingerprint.ofConfig(node) : ConfigFingerprint.ofModel(node);
    } catch (IllegalArgumentException e) {
      problems.add((config ? "config" : "model") + ": " + e.getMessage());
      return null;
    }
  }

  private static @Nullable String id(
      @Nullable Fingerprint print, boolean config, List<String> problems) {
    if (print == null) {
      return null;
    }
    if (print.isKnown()) {
      return print.id();
    }
    problems.add((config ? "config" : "model") + ": holds nothing that counts");
    return null;
  }

  /**
   * What may be written down. The fingerprint drops secrets: what it keeps, counted or not, is what
   * may be stored; of what it refuses nothing is.
   */
  private static @Nullable JsonNode kept(@Nullable Fingerprint print) {
    if (print == null) {
      return null;
    }
    try {
      ObjectNode kept = (ObjectNode) Journal.JSON.readTree(print.notCounted());
      merge(kept, (ObjectNode) Journal.JSON.readTree(print.counted()));
      return kept;
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("canonical JSON is JSON", e);
    }
  }

  private static void merge(ObjectNode into, ObjectNode from) {
    for (Map.Entry<String, JsonNode> member : from.properties()) {
      if (member.getValue() instanceof ObjectNode inner
          && into.get(member.getKey()) instanceof ObjectNode existing) {
        merge(existing, inner);
      } else {
        into.set(member.getKey(), member.getValue());
      }
    }
  }

  /**
   * What an endpoint says that it can do. Only this project's node is known to say it; a stranger's
   * word would make a check not applicable, or a bypass that it ignores a proof.
   */
  private Declaration told(JsonNode info) {
    boolean ours = info.at("/config/runtime/name").asText().equals(OUR_NODE);
    JsonNode can = info.path("capabilities");
    if (given.where() != null || !ours) {
      return given;
    }
    boolean caching = !info.at("/config/cache/conditioning").asText().equals("off");
    JsonNode devices = info.at("/config/hardware/count");
    EndpointProfile profile =
        new EndpointProfile(
            can.path("modality").asText().equals("chat")
                ? Modality.CHAT
                : can.has("modality") ? Modality.IMAGE : given.profile().modality(),
            can.path("batches").asBoolean(!info.at("/limits/mode").asText().equals("single")),
            can.path("cache").asBoolean(caching),
            can.path("seed").asBoolean(true),
            can.path("cache_bypass").asBoolean(true),
            can.path("flush").asBoolean(true),
            can.path("weights_digest").asBoolean(info.at("/model/weights_digest").isTextual()),
            can.path("deterministic").asBoolean(true),
            devices.isInt() && devices.intValue() > 0 ? devices.intValue() : null);
    ObjectNode always = JsonNodeFactory.instance.objectNode().put("synthetic", true);
    ObjectNode recompute = JsonNodeFactory.instance.objectNode().put("use_cache", false);
    return new Declaration(
        null,
        profile,
        given.config(),
        given.model(),
        given.modelName(),
        always,
        recompute,
        "/admin/flush_cache");
  }
}
