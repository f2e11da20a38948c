package io.servedrift.monitors.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** How finely numbers are kept while serving, as far as a configuration says it. */
public final class Precision {
  private static final Set<String> FULL =
      Set.of("bf16", "bfloat16", "fp16", "float16", "half", "fp32", "float32", "float", "tf32");
  private static final Pattern QUANTISED =
      Pattern.compile(
          "(u?int|nf|w)[1-8](\\b|wo|_).*|w\\da\\d+.*|[1-8]-?bit|(fp|mxfp|nvfp|float)[468]([_-].*|e\\d.*)?|e[2-5]m[0-3].*|.*(awq|gptq|svdquant|nunchaku|bitsandbytes|gguf|q[2-8]_).*");
  private static final List<String> MEMBERS = List.of("weights", "activations", "kv_cache");
  private static final Set<String> NO_METHOD = Set.of("", "none", "off", "false", "null", "auto");

  private Precision() {}

  /** The first member of {@code precision} that is quantised: {@code weights=fp8}. */
  static Optional<String> quantised(Fingerprint config) {
    JsonNode precision = LedgerEntry.tree(config.counted()).path("precision");
    for (String member : MEMBERS) {
      String word = precision.path(member).asText().toLowerCase(Locale.ROOT);
      if (QUANTISED.matcher(word).matches()) {
        return Optional.of(member + "=" + word);
      }
    }
    String method = precision.path("method").asText().toLowerCase(Locale.ROOT);
    return NO_METHOD.contains(method) || FULL.contains(method)
        ? Optional.empty()
        : Optional.of("method=" + method);
  }

  /** The full precision of the weights, when nothing is quantised: {@code bf16}. */
  static Optional<String> full(Fingerprint config) {
    String weights =
        LedgerEntry.tree(config.counted())
            .path("precision")
            .path("weights")
            .asText()
            .toLowerCase(Locale.ROOT);
    return FULL.contains(weights) && quantised(config).isEmpty()
        ? Optional.of(weights)
        : Optional.empty();
  }
}
