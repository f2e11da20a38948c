package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.BatchComposition;
import io.servedrift.schemas.avro.CacheUse;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Scheduling;
import io.servedrift.serving.node.CutPrompt;
import io.servedrift.serving.node.GeneratedImage;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How an image was made, as the answer says it beside the image: so that a client that compares
 * configurations, such as the release gate, needs no broker. What is not known is absent. Names no
 * other request. Pure.
 */
final class MadeHow {

  private MadeHow() {}

  static ObjectNode of(GeneratedImage image) {
    RequestEvent event = image.event();
    ObjectNode how =
        JsonNodeFactory.instance
            .objectNode()
            .put("config_id", event.getConfigId())
            .put("model_id", event.getModelId());
    put(how, "latency_seconds", event.getLatencySeconds());
    put(how, "queue_seconds", event.getQueueSeconds());
    put(how, "inference_seconds", event.getInferenceSeconds());
    how.put("compute_seconds", image.computeSeconds());
    BatchComposition batch = event.getBatch();
    if (batch != null && batch.getSizeMean() != null) {
      how.putObject("batch")
          .put("size_min", batch.getSizeMin())
          .put("size_mean", batch.getSizeMean())
          .put("size_max", batch.getSizeMax());
    }
    CacheUse cache = event.getCache();
    if (cache != null && cache.getConditioning() != null) {
      how.putObject("cache")
          .put("conditioning", cache.getConditioning().name().toLowerCase(Locale.ROOT));
    }
    Scheduling scheduling = event.getScheduling();
    if (scheduling != null && scheduling.getPreemptions() != null) {
      how.putObject("scheduling").put("preemptions", scheduling.getPreemptions());
    }
    if (!image.cut().isEmpty()) {
      ArrayNode warnings = how.putArray("warnings");
      image.cut().forEach(cut -> warnings.add(warning(cut)));
    }
    return how;
  }

  private static ObjectNode warning(CutPrompt cut) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("code", "prompt_cut")
        .put("param", cut.member())
        .put(
            "message",
            cut.member()
                + ": has "
                + cut.tokens()
                + " tokens, of which the model reads "
                + cut.read()
                + "; its end has no effect on the image")
        .put("tokens", cut.tokens())
        .put("tokens_read", cut.read());
  }

  private static void put(ObjectNode how, String name, @Nullable Double value) {
    if (value != null) {
      how.put(name, value);
    }
  }
}
