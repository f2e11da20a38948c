package io.servedrift.serving.score.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.score.ScoreInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of {@code POST /v1/scores}: one item, or {@code items}. Strict: an unknown field
 * is an error, so that a mistyped one is not silently ignored. Thread-safe.
 */
final class ScoreRequestReader {

  private static final int MAX_DEPTH = 8;
  // The limits of the event's schema.
  private static final int MAX_DEPLOYMENT = 128;
  private static final int MAX_REQUEST_ID = 256;
  private static final Set<String> COMMON = Set.of("model", "embedding");
  private static final Set<String> ITEM = Set.of("image", "prompt", "deployment", "request_id");
  private static final Pattern DATA_URL =
      Pattern.compile("data:image/(?:png|jpeg);base64,", Pattern.CASE_INSENSITIVE);

  private final ScoreLimits limits;
  private final String model;
  private final boolean publishes;
  private final ObjectReader json;

  /**
   * A reader for a scorer.
   *
   * @param model the name under which it may be asked for
   * @param publishes whether scores can be published
   */
  ScoreRequestReader(ScoreLimits limits, String model, boolean publishes) {
    this.limits = limits;
    this.model = model;
    this.publishes = publishes;
    JsonFactory factory =
        JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(limits.maxBodyBytes())
                    .build())
            .build();
    this.json =
        JsonMapper.builder(factory)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(JsonNode.class);
  }

  ScoreRequest read(byte[] body) throws ApiException {
    JsonNode root = parse(body);
    checkModel(root.get("model"));
    boolean embedding = flag(root.get("embedding"));
    JsonNode list = root.get("items");
    boolean single = list == null;
    checkFields(root, COMMON, single ? ITEM : Set.of("items"), "");
    PixelBudget budget = new PixelBudget(limits.maxPixels());
    List<ScoreRequest.Item> items = new ArrayList<>();
    if (list == null) {
      items.add(item(root, "", budget));
    } else {
      checkList(list);
      for (int i = 0; i < list.size(); i++) {
        String path = "items[" + i + "].";
        if (!list.get(i).isObject()) {
          throw ApiException.invalid("items[" + i + "]", "must be an object");
        }
        checkFields(list.get(i), Set.of(), ITEM, path);
        items.add(item(list.get(i), path, budget));
      }
    }
    return new ScoreRequest(items, single, embedding);
  }

  private JsonNode parse(byte[] body) throws ApiException {
    JsonNode root;
    try {
      root = json.readTree(body);
    } catch (JsonProcessingException e) {
      // The parser's own text quotes the body.
      long at = e.getLocation() == null ? 0 : e.getLocation().getByteOffset();
      throw ApiException.refused(
          400, "invalid_json", "body is not one JSON object: problem at byte " + Math.max(0, at));
    } catch (IOException e) {
      throw ApiException.refused(400, "invalid_json", "body is not UTF-8 JSON");
    }
    if (!root.isObject()) {
      throw ApiException.refused(400, "invalid_json", "body must be one JSON object");
    }
    return root;
  }

  private void checkModel(@Nullable JsonNode asked) throws ApiException {
    if (asked != null && !model.equals(asked.textValue())) {
      throw ApiException.notFound("model", "unknown; must be " + model + " or left out");
    }
  }

  private static boolean flag(@Nullable JsonNode value) throws ApiException {
    if (value != null && !value.isBoolean()) {
      throw ApiException.invalid("embedding", "must be true or false");
    }
    return value != null && value.booleanValue();
  }

  private void checkList(JsonNode list) throws ApiException {
    if (!list.isArray() || list.isEmpty() || list.size() > limits.maxItems()) {
      String found = list.isArray() ? list.size() + " items" : "no list";
      throw ApiException.invalid(
          "items", found + "; must be a list of 1 to " + limits.maxItems() + " objects");
    }
  }

  private static void checkFields(JsonNode node, Set<String> some, Set<String> more, String path)
      throws ApiException {
    for (var field : node.properties()) {
      if (!some.contains(field.getKey()) && !more.contains(field.getKey())) {
        List<String> known = new ArrayList<>(some);
        known.addAll(more);
        known.sort(null);
        String name = field.getKey();
        throw ApiException.invalid(
            path + (name.length() <= 64 ? name : name.substring(0, 64) + "..."),
            "unknown field; must be one of " + String.join(", ", known));
      }
    }
  }

  private ScoreRequest.Item item(JsonNode node, String path, PixelBudget budget)
      throws ApiException {
    String prompt = text(node, path, "prompt", limits.maxPromptLength());
    ScoreRequest.Target target = target(node, path);
    ImageOutput image = image(node, path + "image", budget);
    return new ScoreRequest.Item(new ScoreInput(prompt, image), target);
  }

  private ImageOutput image(JsonNode node, String param, PixelBudget budget) throws ApiException {
    JsonNode value = node.get("image");
    if (value == null || !value.isTextual()) {
      throw ApiException.invalid(param, "must be a PNG or JPEG in base64");
    }
    String base64 = value.textValue();
    Matcher prefix = DATA_URL.matcher(base64);
    int start = prefix.lookingAt() ? prefix.end() : 0;
    // Four characters carry three bytes.
    if ((base64.length() - start) / 4L * 3 > limits.maxImageBytes() + 2L) {
      throw ApiException.invalid(param, "must be at most " + limits.maxImageBytes() + " bytes");
    }
    byte[] file;
    try {
      file = Base64.getDecoder().decode(base64.substring(start));
    } catch (IllegalArgumentException notBase64) {
      throw ApiException.invalid(param, "not base64; must be a PNG or JPEG in base64");
    }
    ImageOutput image = ImageDecoder.decode(file, budget.left, param);
    budget.left -= (long) image.width() * image.height();
    return image;
  }

  private ScoreRequest.@Nullable Target target(JsonNode node, String path) throws ApiException {
    if (!node.has("deployment") && !node.has("request_id")) {
      return null;
    }
    String deployment = text(node, path, "deployment", MAX_DEPLOYMENT);
    String requestId = text(node, path, "request_id", MAX_REQUEST_ID);
    if (!publishes) {
      throw ApiException.invalid(
          path + "deployment",
          "this scorer publishes nothing; start it with a broker, or leave deployment and"
              + " request_id out");
    }
    return new ScoreRequest.Target(deployment, requestId);
  }

  private static String text(JsonNode node, String path, String field, int longest)
      throws ApiException {
    JsonNode value = node.get(field);
    if (value == null || !value.isTextual()) {
      throw ApiException.invalid(path + field, "must be a text");
    }
    String text = value.textValue();
    if (text.isBlank() || text.length() > longest) {
      throw ApiException.invalid(
          path + field, text.length() + " characters; must be 1 to " + longest + ", not blank");
    }
    return text;
  }

  /** Pixels that the images of one body may still have. */
  private static final class PixelBudget {
    private long left;

    PixelBudget(long left) {
      this.left = left;
    }
  }
}
