package io.servedrift.serving.node;

import io.servedrift.schemas.avro.CacheOutcome;
import io.servedrift.serving.cache.CacheStatistics;
import io.servedrift.serving.generation.DiffusionBackend;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageOutput;
import io.servedrift.serving.generation.ImageRequest;
import io.servedrift.serving.recorder.RequestRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An engine without a model: an image of one colour, its seed's. When held, each step waits for a
 * permit, so that tests decide what runs.
 */
public final class FakeEngine implements DiffusionBackend, EngineControls {

  /** A prompt that fails when it is begun. */
  public static final String BROKEN = "broken prompt";

  /** A prompt after whose first step the scheduler cannot go on. */
  public static final String FATAL = "fatal prompt";

  /** A size in which images do not compress. */
  public static final ModelCard.Size NOISY = new ModelCard.Size(1024, 1024);

  private final Semaphore steps = new Semaphore(0);
  private final AtomicInteger open = new AtomicInteger();
  private volatile boolean held;
  private volatile ModelCard model = card("fake", "sha256:" + "0".repeat(64));
  private final AtomicLong evictions = new AtomicLong();

  private static ModelCard card(String name, String digest) {
    return new ModelCard(
        name,
        "1",
        digest,
        List.of(new ModelCard.Size(8, 8), new ModelCard.Size(16, 8), NOISY),
        32,
        4,
        3.5);
  }

  /** As the node takes it; a prompt has as many tokens as words. */
  public ServingNode.Engine parts() {
    return new ServingNode.Engine(this, this, prompt -> prompt.split(" ", -1).length, this);
  }

  /** From now on each step waits for {@link #release}. */
  public void hold() {
    held = true;
  }

  /** Lets everything run. */
  public void release() {
    held = false;
    steps.release(1_000_000);
  }

  /** Lets one step run while held. */
  public void releaseOne() {
    steps.release();
  }

  /** Generations that hold something on the device. */
  public int open() {
    return open.get();
  }

  /** The cache evicted so many more. */
  public void evicted(long count) {
    evictions.addAndGet(count);
  }

  @Override
  public Generation begin(ImageRequest request, RequestRecorder recorder) {
    if (request.prompt().equals(BROKEN)) {
      throw new IllegalStateException("cannot draw: " + request.prompt());
    }
    recorder.conditioningCache(CacheOutcome.MISS);
    open.incrementAndGet();
    return new Fake(request);
  }

  @Override
  public void step(List<Generation> batch) {
    if (held) {
      steps.acquireUninterruptibly();
    }
    batch.forEach(generation -> ((Fake) generation).remaining--);
  }

  @Override
  public ImageOutput decode(Generation generation) {
    ImageRequest request = generation.request();
    byte[] rgb = new byte[request.width() * request.height() * 3];
    if (request.width() == NOISY.width()) {
      new Random(request.seed()).nextBytes(rgb);
    } else {
      Arrays.fill(rgb, (byte) request.seed());
    }
    return new ImageOutput(request.width(), request.height(), rgb);
  }

  @Override
  public ModelCard model() {
    return model;
  }

  @Override
  public EngineCard engine() {
    return new EngineCard(null, "none", 1, null, "fp32", "fp32", null, "euler", 1024, 0);
  }

  @Override
  public CacheStatistics cache() {
    return new CacheStatistics(3, 96, 1024, 7, 5, 2, evictions.get(), 0, 0);
  }

  @Override
  public int flushCache() {
    return 3;
  }

  @Override
  public void evictMost() {
    evictions.addAndGet(100);
  }

  @Override
  public void reloadWeights(Path directory) throws IOException {
    if (directory.endsWith("missing")) {
      throw new IOException(directory + ": must be a model directory");
    }
    if (directory.endsWith("other-tokenizer")) {
      throw new IOException(directory + ": its tokenizer must be that of the model");
    }
    model = card(directory.endsWith("renamed") ? "renamed" : "fake", "sha256:" + "1".repeat(64));
  }

  @Override
  public void close() {
    release();
  }

  private final class Fake implements Generation {
    private final ImageRequest request;
    private int remaining;
    private boolean closed;

    Fake(ImageRequest request) {
      this.request = request;
      this.remaining = request.steps();
    }

    @Override
    public ImageRequest request() {
      return request;
    }

    @Override
    public int remainingSteps() {
      if (request.prompt().equals(FATAL)) {
        throw new IllegalStateException("cannot count the steps of " + request.prompt());
      }
      return remaining;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        open.decrementAndGet();
      }
    }
  }
}
