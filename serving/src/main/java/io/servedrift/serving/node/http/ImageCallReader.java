package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.node.ImageCall;
import io.servedrift.serving.node.ModelCard;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes an {@link ImageCall} of a body of {@code POST /v1/images/generations}: the members of
 * OpenAI's API that make sense here, those common for diffusion ({@code seed}, {@code
 * num_inference_steps}, {@code guidance_scale}, {@code negative_prompt}), and our own. An unknown
 * member is an error, as with OpenAI: a misspelt {@code seed} must not pass silently. Thread-safe
 * if the seeds are.
 */
final class ImageCallReader {

  private static final Set<String> KNOWN =
      Set.of(
          "prompt",
          "model",
          "n",
          "size",
          "response_format",
          "user",
          "seed",
          "num_inference_steps",
          "guidance_scale",
          "negative_prompt",
          "prompt_class",
          "priority",
          "timeout",
          "use_cache",
          "synthetic");

  private static final Pattern REQUEST_ID = Pattern.compile("[A-Za-z0-9._:-]{1,128}");
  private static final Pattern PROMPT_CLASS = Pattern.compile("[a-z0-9][a-z0-9._-]{0,63}");
  private static final int MAX_WORD = 128;
  private static final int MAX_PRIORITY = 100;
  private static final double MAX_GUIDANCE = 50;
  private static final double MIN_TIMEOUT_SECONDS = 0.001;

  private final Supplier<ModelCard> models;
  private final ApiLimits limits;
  private final LongSupplier seeds;

  /**
   * Reads calls for the model that is loaded when a call comes.
   *
   * @param seeds gives a seed, 0 or above, to a call without one
   */
  ImageCallReader(Supplier<ModelCard> models, ApiLimits limits, LongSupplier seeds) {
    this.models = models;
    this.limits = limits;
    this.seeds = seeds;
  }

  /**
   * Checks the identity a client gave its call.
   *
   * @throws ApiException 400 when it is not made of 1 to 128 of {@code A-Za-z0-9._:-}
   */
  static void checkRequestId(String requestId) {
    if (!REQUEST_ID.matcher(requestId).matches()) {
      throw ApiException.invalid(
          "X-Request-Id",
          "invalid_request_id",
          "X-Request-Id: must be 1 to 128 of A-Z, a-z, 0-9, '.', '_', ':' and '-'");
    }
  }

  /**
   * Reads one call.
   *
   * @param requestId its identity; with several images those of the events are {@code id.0}, {@code
   *     id.1} and so on
   * @throws ApiException when a member is wrong
   */
  ImageCall read(ObjectNode body, String requestId) {
    rejectUnknown(body);
    Members members = new Members(body);
    ModelCard model = models.get();
    checkModel(members, model);
    checkFormat(members);
    members.text("user", MAX_WORD); // taken as OpenAI takes it, used for nothing
    String prompt = prompt(members);
    ModelCard.Size size = size(members, model);
    int images = (int) members.integer("n", 1, limits.maxImages(), 1);
    long seed = members.integer("seed", 0, Long.MAX_VALUE - limits.maxImages(), -1);
    long firstSeed = seed < 0 ? seeds.getAsLong() : seed;
    List<ImageRequest> requests = new ArrayList<>();
    for (int i = 0; i < images; i++) {
      requests.add(
          new ImageRequest(
              images == 1 ? requestId : requestId + "." + i,
              prompt,
              members.text("negative_prompt", limits.maxPromptChars()),
              size.width(),
              size.height(),
              steps(members, model),
              members.number("guidance_scale", 0, MAX_GUIDANCE, model.defaultGuidanceScale()),
              firstSeed + i,
              List.of(),
              (int) members.integer("priority", -MAX_PRIORITY, MAX_PRIORITY, 0),
              timeout(members),
              members.flag("use_cache", true)));
    }
    return new ImageCall(requests, promptClass(members), members.flag("synthetic", false));
  }

  private static void rejectUnknown(ObjectNode body) {
    for (Iterator<String> names = body.fieldNames(); names.hasNext(); ) {
      String name = names.next();
      if (!KNOWN.contains(name)) {
        throw ApiException.invalid(
            Members.quoted(name),
            "unknown_parameter",
            "unknown parameter "
                + Members.quoted(name)
                + ": known are "
                + KNOWN.stream().sorted().collect(Collectors.joining(", ")));
      }
    }
  }

  private static void checkModel(Members members, ModelCard model) {
    String name = members.text("model", MAX_WORD);
    if (name != null && !name.equals(model.name())) {
      throw ApiException.unknownModel(Members.quoted(name));
    }
  }

  private static void checkFormat(Members members) {
    String format = members.text("response_format", MAX_WORD);
    if (format != null && !format.equals("b64_json")) {
      throw ApiException.invalid(
          "response_format",
          "unsupported_value",
          "response_format=" + Members.quoted(format) + ": must be b64_json; images are not kept");
    }
  }

  private String prompt(Members members) {
    String prompt = members.text("prompt", limits.maxPromptChars());
    if (prompt == null || prompt.isBlank()) {
      throw ApiException.invalid(
          "prompt",
          prompt == null ? "missing_required_parameter" : "empty_string",
          "prompt: must be given and not be blank");
    }
    return prompt;
  }

  private static ModelCard.Size size(Members members, ModelCard model) {
    String asked = members.text("size", MAX_WORD);
    if (asked == null || asked.equals("auto")) {
      return model.sizes().get(0);
    }
    return model.sizes().stream()
        .filter(size -> size.toString().equals(asked.toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                ApiException.invalid(
                    "size",
                    "unsupported_value",
                    "size=" + Members.quoted(asked) + ": must be one of " + model.sizes()));
  }

  private int steps(Members members, ModelCard model) {
    return (int) members.integer("num_inference_steps", 1, limits.maxSteps(), model.defaultSteps());
  }

  private Duration timeout(Members members) {
    double most = limits.maxTimeout().toMillis() / 1e3;
    double seconds = members.number("timeout", MIN_TIMEOUT_SECONDS, most, most);
    return Duration.ofNanos(BigDecimal.valueOf(seconds).movePointRight(9).longValue());
  }

  private static @Nullable String promptClass(Members members) {
    String name = members.text("prompt_class", MAX_WORD);
    if (name != null && !PROMPT_CLASS.matcher(name).matches()) {
      throw ApiException.invalid(
          "prompt_class",
          "unsupported_value",
          "prompt_class: must be 1 to 64 of a-z, 0-9, '.', '_' and '-', a letter or digit first");
    }
    return name;
  }
}
