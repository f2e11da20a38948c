package io.servedrift.schemas;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Whether a dictionary entry that came as Avro says what its ids stand for: another writer may
 * compute them wrongly.
 */
final class ConfigCheck {
  private ConfigCheck() {}

  static void check(ConfigRecord c, Problems problems) {
    if (c.getConfigId() == null && c.getModelId() == null) {
      problems.add(
          RejectReason.MISSING_FIELD, "config_id", "(absent)", "given, unless model_id is");
    }
    check("config", c.getConfigId(), c.getCounted(), c.getNotCounted(), problems);
    check("model", c.getModelId(), c.getModel(), c.getModelNotCounted(), problems);
  }

  private static void check(
      String member,
      @Nullable String id,
      @Nullable String counted,
      @Nullable String beside,
      Problems problems) {
    if (id == null && counted == null && beside == null) {
      return;
    }
    String expected;
    try {
      ObjectNode whole = JsonNodeFactory.instance.objectNode();
      merge(whole, counted);
      merge(whole, beside);
      Fingerprint f =
          member.equals("config")
              ? ConfigFingerprint.ofConfig(whole)
              : ConfigFingerprint.ofModel(whole);
      if (f.id().equals(id)
          && f.counted().equals(counted)
          && f.notCounted().equals(Objects.requireNonNullElse(beside, "{}"))) {
        return;
      }
      expected = f.id();
    } catch (IllegalArgumentException e) {
      expected = "none, it is no JSON object";
    }
    problems.add(
        RejectReason.BAD_VALUE,
        member + "_id",
        id == null ? "(absent)" : Sensitive.shownName(id),
        "the fingerprint of the canonical JSON beside it: " + expected);
  }

  private static void merge(ObjectNode into, @Nullable String json) {
    if (json == null) {
      return;
    }
    JsonNode node = StrictJson.trusted(json);
    if (!(node instanceof ObjectNode object)) {
      throw new IllegalArgumentException("no object");
    }
    EventJson.mergeTree(into, object);
  }
}
