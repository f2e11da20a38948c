package io.servedrift.serving.node.http;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.serving.node.GeneratedImage;
import io.servedrift.serving.node.ImageCall;
import io.servedrift.serving.node.ImageService;
import io.servedrift.serving.scheduler.DrainTimeoutException;
import io.servedrift.serving.scheduler.QueueFullException;
import io.servedrift.serving.scheduler.RefusedException;
import io.servedrift.serving.scheduler.Submission;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * {@code POST /v1/images/generations}. No thread waits while images are made or an answer is
 * written; a client that goes away cancels them. Thread-safe.
 */
final class ImagesEndpoint implements Handler {

  private static final String REQUEST_ID = "X-Request-Id";

  private final JsonBody body;
  private final ImageCallReader reader;
  private final ImageService service;
  private final ConnectionWatch connections;
  private final Answers answers;
  private final InstantSource clock;

  ImagesEndpoint(
      JsonBody body,
      ImageCallReader reader,
      ImageService service,
      ConnectionWatch connections,
      Answers answers,
      InstantSource clock) {
    this.body = body;
    this.reader = reader;
    this.service = service;
    this.connections = connections;
    this.answers = answers;
    this.clock = clock;
  }

  @Override
  public void handle(Context ctx) throws IOException {
    String requestId = requestId(ctx);
    ctx.header(REQUEST_ID, requestId);
    ImageCall call = reader.read(body.read(ctx), requestId);
    ImageService.Pending pending = submit(call);
    ConnectionWatch.Watched connection = connections.watch(ctx.req(), pending::cancel);
    ctx.future(
        () ->
            pending
                .result()
                .handle((images, failure) -> new Result(images, failure))
                .thenCompose(
                    result -> {
                      if (connection.release()) {
                        ctx.header("Connection", "close");
                      }
                      return answer(ctx, result.images, result.failure);
                    }));
  }

  /** What came of a call: the one or the other. */
  private record Result(@Nullable List<GeneratedImage> images, @Nullable Throwable failure) {}

  private static String requestId(Context ctx) {
    String given = ctx.header(REQUEST_ID);
    if (given == null) {
      return "r-" + UUID.randomUUID();
    }
    ImageCallReader.checkRequestId(given);
    return given;
  }

  private ImageService.Pending submit(ImageCall call) {
    try {
      return service.submit(call);
    } catch (RefusedException e) {
      throw e instanceof QueueFullException
          ? ApiException.overloaded("the queue of this node is full: try again later")
          : shuttingDown();
    }
  }

  private static ApiException shuttingDown() {
    return ApiException.failed(503, "shutting_down", "this node shuts down: ask another one");
  }

  private CompletableFuture<Void> answer(
      Context ctx, @Nullable List<GeneratedImage> images, @Nullable Throwable failure) {
    if (images == null) {
      ApiException error = error(failure);
      ApiErrors.prepare(ctx, error);
      return answers.send(ctx, error.body());
    }
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer.put("created", clock.instant().getEpochSecond());
    ArrayNode data = answer.putArray("data");
    for (GeneratedImage image : images) {
      data.addObject()
          .put("b64_json", Base64.getEncoder().encodeToString(image.png()))
          .put("seed", image.seed())
          .put("request_id", image.requestId())
          .set("servedrift", MadeHow.of(image));
    }
    return answers.send(ctx, answer);
  }

  private static ApiException error(@Nullable Throwable failure) {
    if (failure != null && Submission.cause(failure) instanceof DrainTimeoutException) {
      return shuttingDown();
    }
    RequestStatus status =
        failure == null ? RequestStatus.ERROR : Submission.ending(failure).status();
    return switch (status) {
      case TIMEOUT -> ApiException.failed(504, "timeout", "the image was not ready in time");
      case CANCELLED -> ApiException.failed(503, "cancelled", "the request was given up");
      default -> ApiException.failed(500, "generation_failed", "the image could not be made");
    };
  }
}
