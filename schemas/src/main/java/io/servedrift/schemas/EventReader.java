package io.servedrift.schemas;

import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import io.servedrift.schemas.avro.EvalResult;
import io.servedrift.schemas.avro.Heartbeat;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads one item - a Kafka value, a line of a file, an element of a request body - to a valid
 * event, or says all that is wrong with it. Accepts every wire format; what is accepted satisfies
 * the constraints of the schemas and the rules between fields, whatever format it came in. Never
 * throws for any input. Thread-safe.
 */
public final class EventReader {
  private static final Set<String> TYPE = Set.of("type");
  private static final Set<String> TYPE_AND_OBJECTS = Set.of("type", "config", "model");
  private static final Set<String> TYPE_AND_KIND = Set.of("type", "kind");
  private static final Set<String> CONFIG_OWN =
      Set.of("type", "config", "model", "config_id", "model_id");
  private static final int LONGEST_KIND = 128;

  private final FingerprintMemory configs = new FingerprintMemory(ConfigFingerprint::ofConfig);
  private final FingerprintMemory models = new FingerprintMemory(ConfigFingerprint::ofModel);
  private final ReadLimits limits;
  private final @Nullable SchemaRegistry registry;
  private final ObjectReader json;

  /** A reader with the default limits and without a schema registry. */
  public EventReader() {
    this(ReadLimits.DEFAULT, null);
  }

  /** A reader without a schema registry. */
  public EventReader(ReadLimits limits) {
    this(limits, null);
  }

  /**
   * @param limits what exceeds them is rejected
   * @param registry where the schemas of registry-framed payloads are looked up; null: such
   *     payloads are rejected
   */
  public EventReader(ReadLimits limits, @Nullable SchemaRegistry registry) {
    this.limits = limits;
    this.registry = registry;
    this.json = StrictJson.reader(limits);
  }

  /**
   * Parses JSON as strictly as items are: for callers that split an array or another envelope
   * themselves.
   */
  public ObjectReader strictJson() {
    return json;
  }

  /** Reads an item in any wire format. */
  public Reading read(byte @Nullable [] payload) {
    if (payload == null || payload.length == 0) {
      return new Reading.Rejected(
          RejectReason.UNKNOWN_FORMAT, "(item)", "nothing", "JSON ({) or Avro (C3 01 or 00)");
    }
    if (payload.length > limits.maxBytes()) {
      return tooLarge(payload.length);
    }
    return switch (WireFormat.detect(payload)) {
      case JSON -> readJson(payload);
      case SINGLE_OBJECT -> readAvro(payload);
      case REGISTRY -> readRegistry(payload);
      case UNKNOWN ->
          new Reading.Rejected(
              RejectReason.UNKNOWN_FORMAT,
              "(item)",
              payload.length + " bytes starting with " + String.format("%02x", payload[0]),
              "JSON ({) or Avro (C3 01 or 00)");
    };
  }

  /** Reads an item that is said to be JSON. */
  public Reading readJson(byte[] item) {
    if (item.length > limits.maxBytes()) {
      return tooLarge(item.length);
    }
    JsonNode node;
    try {
      node = json.readTree(item);
    } catch (StreamConstraintsException e) {
      return new Reading.Rejected(
          RejectReason.TOO_LARGE,
          "(item)",
          "JSON with a too deep or too long part",
          "nested at most " + limits.maxDepth() + " levels, numbers and names of sane length");
    } catch (JsonProcessingException e) {
      return badJson(e);
    } catch (IOException e) {
      return new Reading.Rejected(
          RejectReason.BAD_JSON, "(item)", "bytes that are not UTF-8", "JSON in UTF-8");
    }
    return readJson(node);
  }

  /** Reads an item that was parsed already; see {@link #strictJson()}. */
  public Reading readJson(@Nullable JsonNode node) {
    if (!(node instanceof ObjectNode object)) {
      return new Reading.Rejected(
          RejectReason.BAD_JSON,
          "(item)",
          node == null || node.isMissingNode()
              ? "nothing"
              : node.isArray() ? "an array" : "a single value",
          "one JSON object");
    }
    JsonNode word = object.get("type");
    EventType type = word != null && word.isTextual() ? EventType.ofWord(word.textValue()) : null;
    if (type == null || !type.isInput()) {
      return new Reading.Rejected(
          RejectReason.UNKNOWN_TYPE,
          "type",
          word == null || word.isNull() ? "(absent)" : shown(word),
          "one of " + EventType.inputWords());
    }
    Problems problems = new Problems();
    Read read =
        switch (type) {
          case CONFIG -> config(object, problems);
          case SERVING_EVENT -> servingEvent(object, problems);
          case REQUEST, EVAL, HEARTBEAT -> withIds(type, object, problems);
          default ->
              new Read(
                  new JsonRecordReader(problems)
                      .read(type.plan(), object, Place.ROOT, TYPE, Set.of()),
                  null);
        };
    if (read.event() instanceof RequestEvent request) {
      EventRules.check(request, problems);
    }
    if (!problems.none()) {
      return problems.rejected();
    }
    int conflicts = read.event() instanceof RequestEvent r ? EventRules.settleCache(r) : 0;
    return new Reading.Accepted(
        read.event(),
        read.registration() == null ? List.of() : List.of(read.registration()),
        problems.unknownFields(),
        problems.unknownNames(),
        conflicts);
  }

  private record Read(SpecificRecord event, @Nullable ConfigRecord registration) {}

  private Read withIds(EventType type, ObjectNode object, Problems problems) {
    Set<String> computed = Set.of();
    if (type == EventType.REQUEST && isAbsent(object, "finished_at")) {
      computed = Set.of("finished_at");
    }
    SpecificRecord event =
        new JsonRecordReader(problems)
            .read(type.plan(), object, Place.ROOT, TYPE_AND_OBJECTS, computed);
    if (event instanceof RequestEvent request && !computed.isEmpty()) {
      computeEnd(request, problems);
    }
    Fingerprint config = inline(object, "config", problems);
    Fingerprint model = inline(object, "model", problems);
    if (config == null && model == null) {
      return new Read(event, null);
    }
    String configId = agreedId(object, "config_id", config, problems);
    String modelId = agreedId(object, "model_id", model, problems);
    Instant at = null;
    String deployment = null;
    String node = null;
    if (event instanceof RequestEvent e) {
      at = e.getFinishedAt();
      deployment = e.getDeployment();
      node = e.getNode();
      e.setConfigId(configId != null ? configId : e.getConfigId());
      e.setModelId(modelId != null ? modelId : e.getModelId());
    } else if (event instanceof EvalResult e) {
      at = e.getAt();
      deployment = e.getDeployment();
      e.setConfigId(configId != null ? configId : e.getConfigId());
      e.setModelId(modelId != null ? modelId : e.getModelId());
    } else if (event instanceof Heartbeat e) {
      at = e.getAt();
      deployment = e.getDeployment();
      node = e.getNode();
      e.setConfigId(configId != null ? configId : e.getConfigId());
      e.setModelId(modelId != null ? modelId : e.getModelId());
    }
    if ((configId == null && modelId == null) || at == null) {
      return new Read(event, null);
    }
    ConfigRecord registration = new ConfigRecord();
    registration.setAt(at);
    registration.setDeployment(deployment);
    registration.setNode(node);
    fill(registration, config, model);
    return new Read(event, registration);
  }

  private static void computeEnd(RequestEvent request, Problems problems) {
    Instant arrived = request.getArrivedAt();
    Double latency = request.getLatencySeconds();
    if (arrived != null && latency != null) {
      request.setFinishedAt(arrived.plusNanos(Math.round(latency * 1e6) * 1_000));
    } else if (!problems.touches("arrived_at") && !problems.touches("latency_seconds")) {
      problems.add(
          RejectReason.MISSING_FIELD,
          "finished_at",
          "(absent)",
          "given, unless arrived_at and latency_seconds are");
    }
  }

  private @Nullable Fingerprint inline(ObjectNode object, String member, Problems problems) {
    JsonNode node = object.get(member);
    if (node == null || node.isNull()) {
      return null;
    }
    if (!node.isObject()) {
      problems.add(RejectReason.BAD_VALUE, member, shown(node), "an object");
      return null;
    }
    boolean model = member.equals("model");
    Map<String, String> misshapen = ConfigShape.misshapen(node, model);
    misshapen.forEach(
        (path, allowed) ->
            problems.add(
                RejectReason.BAD_VALUE,
                member + "." + path,
                shown(node.at(pointer(path))),
                allowed));
    if (!misshapen.isEmpty()) {
      return null;
    }
    try {
      Fingerprint fingerprint = model ? models.of(node) : configs.of(node);
      if (!fingerprint.isKnown()) {
        // There is no dictionary entry to keep them beside.
        ConfigShape.leaves(node, member, problems::unknown);
      }
      return fingerprint;
    } catch (IllegalArgumentException e) {
      problems.add(
          RejectReason.BAD_VALUE,
          member,
          "an object",
          "finite numbers and valid Unicode, at most 32 levels and "
              + ConfigFingerprint.MAX_TEXT
              + " characters in canonical form");
      return null;
    }
  }

  /**
   * The fingerprint; an id that is given beside it must be the same, else the requests could not be
   * told apart.
   */
  private static @Nullable String agreedId(
      ObjectNode object, String member, @Nullable Fingerprint fingerprint, Problems problems) {
    if (fingerprint == null || !fingerprint.isKnown()) {
      return null;
    }
    JsonNode given = object.get(member);
    if (given != null && !given.isNull() && !fingerprint.id().equals(given.textValue())) {
      problems.add(
          RejectReason.BAD_VALUE,
          member,
          shown(given),
          "absent, or the fingerprint of the object beside it: " + fingerprint.id());
    }
    return fingerprint.id();
  }

  private static void fill(
      ConfigRecord into, @Nullable Fingerprint config, @Nullable Fingerprint model) {
    if (config != null && config.isKnown()) {
      into.setConfigId(config.id());
      into.setCounted(config.counted());
      into.setNotCounted(textOrNull(config.notCounted()));
    }
    if (model != null && model.isKnown()) {
      into.setModelId(model.id());
      into.setModel(model.counted());
      into.setModelNotCounted(textOrNull(model.notCounted()));
    }
  }

  private static @Nullable String textOrNull(String canonical) {
    return canonical.equals("{}") ? null : canonical;
  }

  private Read config(ObjectNode object, Problems problems) {
    ObjectNode rest = JsonNodeFactory.instance.objectNode();
    rest.setAll(object);
    for (String computed : List.of("counted", "not_counted", "model_not_counted")) {
      if (rest.remove(computed) != null) {
        problems.unknown(computed);
      }
    }
    ConfigRecord record =
        (ConfigRecord)
            new JsonRecordReader(problems)
                .read(EventType.CONFIG.plan(), rest, Place.ROOT, CONFIG_OWN, Set.of());
    Fingerprint config = inline(object, "config", problems);
    Fingerprint model = inline(object, "model", problems);
    agreedId(object, "config_id", config, problems);
    agreedId(object, "model_id", model, problems);
    fill(record, config, model);
    if (record.getConfigId() == null
        && record.getModelId() == null
        && !problems.touches("config")
        && !problems.touches("model")) {
      problems.add(
          RejectReason.MISSING_FIELD,
          "config",
          "(absent or nothing in it counts)",
          "an object with at least one leaf that counts, in config or in model");
    }
    return new Read(record, null);
  }

  private static Read servingEvent(ObjectNode object, Problems problems) {
    ServingEvent event =
        (ServingEvent)
            new JsonRecordReader(problems)
                .read(
                    EventType.SERVING_EVENT.plan(),
                    object,
                    Place.ROOT,
                    TYPE_AND_KIND,
                    Set.of("kind"));
    RecordPlan.Field field = EventType.SERVING_EVENT.plan().field("kind");
    JsonNode kind = object.get("kind");
    if (field == null) {
      throw new IllegalStateException("a serving event has a kind");
    }
    ValuePlan plan = field.value();
    if (kind == null || kind.isNull()) {
      problems.add(RejectReason.MISSING_FIELD, "kind", "(absent)", plan.allowed());
      return new Read(event, null);
    }
    String word = kind.isTextual() ? kind.textValue() : "";
    Object known = plan.words.get(word.toLowerCase(Locale.ROOT));
    if (known != null) {
      event.setKind((ServingEventKind) known);
    } else if (word.isEmpty()
        || word.length() > LONGEST_KIND
        || JsonRecordReader.hasLoneSurrogate(word)) {
      problems.add(
          RejectReason.BAD_VALUE,
          "kind",
          JsonRecordReader.shown(plan, kind),
          "a word of at most " + LONGEST_KIND + " characters, " + plan.allowed());
    } else if (event.getAttributes() != null) {
      event.setKind(ServingEventKind.OTHER);
      event.getAttributes().put("kind", word);
      RecordCheck.check(EventType.SERVING_EVENT.plan().only("attributes"), event, problems);
    }
    return new Read(event, null);
  }

  private Reading readAvro(byte[] payload) {
    try {
      return checked(EventCodec.decode(payload));
    } catch (MalformedEventException e) {
      return malformed(e);
    }
  }

  private Reading readRegistry(byte[] payload) {
    if (registry == null) {
      return new Reading.Rejected(
          RejectReason.REGISTRY_NOT_CONFIGURED,
          "(item)",
          "registry framing",
          "JSON or Avro single-object encoding, or a schema registry must be configured");
    }
    int id = ByteBuffer.wrap(payload).getInt(1);
    Schema writer;
    try {
      writer = registry.byId(id);
    } catch (IOException e) {
      return new Reading.Rejected(
          RejectReason.REGISTRY_UNAVAILABLE,
          "(item)",
          "schema id " + id,
          "answered by the schema registry");
    }
    if (writer == null) {
      return new Reading.Rejected(
          RejectReason.UNKNOWN_SCHEMA, "(item)", "schema id " + id, "known to the schema registry");
    }
    try {
      return checked(EventCodec.decode(writer, payload, 5));
    } catch (MalformedEventException e) {
      return malformed(e);
    }
  }

  private static Reading checked(SpecificRecord event) {
    EventType type = EventType.of(event);
    if (!type.isInput()) {
      return new Reading.Rejected(
          RejectReason.UNKNOWN_TYPE, "type", type.word(), "one of " + EventType.inputWords());
    }
    Problems problems = new Problems();
    RecordCheck.check(type.plan(), event, problems);
    int conflicts = 0;
    if (event instanceof RequestEvent request) {
      EventRules.check(request, problems);
      conflicts = EventRules.settleCache(request);
    } else if (event instanceof ConfigRecord config && problems.none()) {
      ConfigCheck.check(config, problems);
    }
    return problems.none()
        ? new Reading.Accepted(event, List.of(), 0, List.of(), conflicts)
        : problems.rejected();
  }

  private static Reading malformed(MalformedEventException e) {
    String message = e.getMessage();
    return new Reading.Rejected(
        e.reason(),
        "(item)",
        message == null ? "Avro" : message,
        "an event of this or an earlier release");
  }

  private Reading tooLarge(int length) {
    return new Reading.Rejected(
        RejectReason.TOO_LARGE,
        "(item)",
        length + " bytes",
        "at most " + limits.maxBytes() + " bytes");
  }

  /** Says where, but quotes nothing: the parser's own message repeats the input. */
  private static Reading badJson(JsonProcessingException e) {
    String what = "broken JSON";
    String allowed = "one JSON object in UTF-8";
    String message = e.getOriginalMessage();
    if (message != null && message.startsWith("Duplicate field")) {
      what = "a repeated key";
      allowed = "unique keys in each object";
    } else if (!(e instanceof JsonParseException)
        && message != null
        && message.startsWith("Trailing token")) {
      what = "more than one value";
    } else if (e instanceof JsonEOFException) {
      what = "JSON that ends in the middle";
    }
    if (e.getLocation() != null) {
      what +=
          " at line " + e.getLocation().getLineNr() + ", column " + e.getLocation().getColumnNr();
    }
    return new Reading.Rejected(RejectReason.BAD_JSON, "(item)", what, allowed);
  }

  private static String shown(JsonNode node) {
    if (node.isTextual()) {
      String s = node.textValue();
      return Sensitive.isIdentifierLike(s, 64) ? '"' + s + '"' : Sensitive.lengthOnly(s);
    }
    return node.isObject() ? "an object" : node.isArray() ? "an array" : node.asText();
  }

  private static String pointer(String path) {
    return "/" + path.replace('.', '/');
  }

  private static boolean isAbsent(ObjectNode object, String name) {
    JsonNode node = object.get(name);
    return node == null || node.isNull();
  }
}
