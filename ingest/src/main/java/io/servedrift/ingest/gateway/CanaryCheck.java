package io.servedrift.ingest.gateway;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** What the answer to a canary prompt is held against. Scores are empty when it cannot be told. */
sealed interface CanaryCheck {

  /** The scores of an answer by name. */
  Map<String, Double> scores(Answer answer);

  /** The text equals a known answer, but for case, white space and a full stop around it. */
  record KnownAnswer(String expected) implements CanaryCheck {
    @Override
    public Map<String, Double> scores(Answer answer) {
      String text = answer.text();
      return score("answer_correct", text != null && plain(text).equals(plain(expected)));
    }

    private static String plain(String text) {
      String stripped = text.strip();
      return (stripped.endsWith(".") ? stripped.substring(0, stripped.length() - 1) : stripped)
          .strip()
          .toLowerCase(Locale.ROOT);
    }
  }

  /** The text contains a match. */
  record Matching(Pattern pattern) implements CanaryCheck {
    @Override
    public Map<String, Double> scores(Answer answer) {
      String text = answer.text();
      try {
        return score(
            "answer_correct", text != null && pattern.matcher(new BoundedText(text)).find());
      } catch (IllegalStateException endless) {
        return Map.of();
      }
    }
  }

  /** The text is JSON and satisfies a schema. */
  record JsonSchema(JsonNode schema, SchemaMatch schemas) implements CanaryCheck {
    @Override
    public Map<String, Double> scores(Answer answer) {
      String text = answer.text();
      JsonNode document = text == null ? null : OutputProxies.document(text);
      Map<String, Double> scores = new LinkedHashMap<>(score("json_valid", document != null));
      Boolean matches = schemas.matches(schema, document);
      if (matches != null) {
        scores.putAll(score("schema_match", matches));
      }
      return scores;
    }
  }

  /** The image's bytes have a known digest. */
  record ImageDigest(String sha256) implements CanaryCheck {
    @Override
    public Map<String, Double> scores(Answer answer) {
      byte[] image = image(answer);
      return image.length == 0
          ? Map.of()
          : score("image_match", CanonicalText.sha256(image).equals(sha256));
    }
  }

  /** How far the image is from a reference: differing bits of 64, see {@link ImageHash}. */
  record ImageLike(long reference) implements CanaryCheck {
    @Override
    public Map<String, Double> scores(Answer answer) {
      try {
        int distance = ImageHash.distance(reference, ImageHash.of(image(answer)));
        return Map.of("image_distance", (double) distance);
      } catch (IOException noImage) {
        return Map.of();
      }
    }
  }

  private static Map<String, Double> score(String name, boolean passed) {
    return Map.of(name, passed ? 1.0 : 0.0);
  }

  /** The bytes of the only image; empty when there is none. */
  private static byte[] image(Answer answer) {
    try {
      return answer.images().size() == 1
          ? Base64.getDecoder().decode(answer.images().get(0))
          : new byte[0];
    } catch (IllegalArgumentException notBase64) {
      return new byte[0];
    }
  }
}
