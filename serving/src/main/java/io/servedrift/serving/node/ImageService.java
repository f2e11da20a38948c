package io.servedrift.serving.node;

import io.servedrift.ingest.publish.EventSink;
import io.servedrift.schemas.PromptHash;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.Workload;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.Ending;
import io.servedrift.serving.recorder.RequestRecorder;
import io.servedrift.serving.scheduler.BatchScheduler;
import io.servedrift.serving.scheduler.RefusedException;
import io.servedrift.serving.scheduler.Submission;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Takes calls: submits their images to the scheduler, and when one ends encodes it, completes its
 * record and publishes it. Nothing here waits: neither for the scheduler nor for the broker nor for
 * a client, so that a record's latency ends when the image is there. Thread-safe.
 */
public final class ImageService {

  private final BatchScheduler scheduler;
  private final EventJournal journal;
  private final EventSink sink;
  private final PromptHash hash;
  private final PromptLengths lengths;
  private final FinishedImages finishedImages;
  private final Executor finishing;

  /**
   * Puts its parts together.
   *
   * @param lengths how long prompts are
   * @param finishedImages is handed each image that was made
   * @param finishing runs what follows the end of a request, so that the scheduler's thread goes on
   */
  ImageService(
      BatchScheduler scheduler,
      EventJournal journal,
      EventSink sink,
      PromptHash hash,
      PromptLengths lengths,
      FinishedImages finishedImages,
      Executor finishing) {
    this.scheduler = scheduler;
    this.journal = journal;
    this.sink = sink;
    this.hash = hash;
    this.lengths = lengths;
    this.finishedImages = finishedImages;
    this.finishing = finishing;
  }

  /** A call that was taken. Thread-safe. */
  public static final class Pending {
    private final List<Submission> handles;
    private final List<CompletableFuture<GeneratedImage>> images;

    private Pending(List<Submission> handles, List<CompletableFuture<GeneratedImage>> images) {
      this.handles = List.copyOf(handles);
      this.images = List.copyOf(images);
    }

    /**
     * All its images in order; fails with the failure of the first that failed by itself. Completes
     * on the finishing executor.
     */
    public CompletableFuture<List<GeneratedImage>> result() {
      return CompletableFuture.allOf(images.toArray(CompletableFuture<?>[]::new))
          .handle(
              (done, failure) -> {
                if (failure != null) {
                  throw new CompletionException(cause(failure));
                }
                return images.stream().map(CompletableFuture::join).toList();
              });
    }

    private Throwable cause(Throwable otherwise) {
      return images.stream()
          .map(image -> image.handle((made, failure) -> Optional.ofNullable(failure)).join())
          .flatMap(Optional::stream)
          .map(Submission::cause)
          .filter(failure -> !(failure instanceof SiblingFailedException))
          .findFirst()
          .orElse(otherwise);
    }

    /** The client has gone; what has not ended is given up at the next step. */
    public void cancel() {
      handles.forEach(Submission::cancel);
    }

    private void failed() {
      handles.forEach(handle -> handle.giveUp(new SiblingFailedException()));
    }
  }

  /**
   * Takes a call.
   *
   * @throws RefusedException when the scheduler has no room for all of its images, or shuts down;
   *     nothing of the call goes on
   */
  public Pending submit(ImageCall call) throws RefusedException {
    List<Asked> asked = call.images().stream().map(request -> asked(call, request)).toList();
    List<BatchScheduler.Offer> offers = asked.stream().map(Asked::offer).toList();
    List<Submission> handles;
    try {
      handles = scheduler.submitAll(offers);
    } catch (RefusedException e) {
      offers.forEach(offer -> offer.recorder().finish(Ending.error(e), sink));
      throw e;
    }
    List<CompletableFuture<GeneratedImage>> images = new ArrayList<>();
    for (int i = 0; i < handles.size(); i++) {
      Asked one = asked.get(i);
      images.add(
          handles
              .get(i)
              .result()
              .handleAsync((image, failure) -> finish(one, image, failure), finishing));
    }
    Pending pending = new Pending(handles, images);
    // One failed image fails the call: the others would be made for nobody.
    images.forEach(
        image ->
            image.exceptionally(
                failure -> {
                  pending.failed();
                  return null;
                }));
    return pending;
  }

  /**
   * An image that is asked for.
   *
   * @param cut which of its prompts are read in part; known before the record ends, so that a
   *     failure to tell cannot follow an end that was recorded as good
   */
  private record Asked(BatchScheduler.Offer offer, List<CutPrompt> cut) {}

  private Asked asked(ImageCall call, ImageRequest request) {
    RequestRecorder recorder = new RequestRecorder(journal::identity, request.requestId());
    Workload workload = workload(call, request);
    recorder.workload(workload);
    if (call.synthetic()) {
      recorder.synthetic();
    }
    return new Asked(
        new BatchScheduler.Offer(request, recorder),
        lengths.cut(request, workload.getPromptTokens()));
  }

  private Workload workload(ImageCall call, ImageRequest request) {
    String negative = request.negativePrompt();
    return Workload.newBuilder()
        .setModality("image")
        .setPromptHash(hash.of(request.prompt()))
        .setNegativePromptHash(negative == null ? null : hash.of(negative))
        .setPromptClass(call.promptClass())
        .setPromptTokens(lengths.of(request.prompt()))
        .setWidth(request.width())
        .setHeight(request.height())
        .setImages(1)
        .setSteps(request.steps())
        .setGuidanceScale(request.guidanceScale())
        .setSeed(request.seed())
        .setAdapters(request.adapters())
        .build();
  }

  private GeneratedImage finish(
      Asked asked, @Nullable ImageOutput image, @Nullable Throwable failure) {
    ImageRequest request = asked.offer.request();
    RequestRecorder recorder = asked.offer.recorder();
    try {
      if (image == null) {
        throw new CompletionException(failure);
      }
      byte[] png = PngEncoder.encode(image);
      recorder.output(sha256(png), png.length);
      RequestEvent event =
          recorder
              .finish(Ending.ok("stop"))
              .orElseThrow(() -> new IllegalStateException("a request ended twice"));
      sink.offer(event);
      finishedImages.finished(request, image);
      return new GeneratedImage(
          request.requestId(), request.seed(), png, event, recorder.computeSeconds(), asked.cut);
    } catch (RuntimeException e) {
      recorder.finish(Submission.ending(e), sink);
      throw e;
    }
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }
}
