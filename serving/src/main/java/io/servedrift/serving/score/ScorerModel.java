package io.servedrift.serving.score;

import ai.djl.Device;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import io.servedrift.serving.engine.PromptTokenizer;
import io.servedrift.serving.engine.PromptTokens;
import io.servedrift.serving.engine.TorchRuntime;
import io.servedrift.serving.generation.ImageOutput;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * CLIP's two towers and an aesthetic head, from a directory with a {@code scorer.json}. The {@code
 * clip} score is the cosine of the image's and the prompt's embedding (Radford et al., "Learning
 * transferable visual models from natural language supervision", 2021, fig. 3; without the
 * temperature there, and without the factor 2.5 of CLIPScore, Hessel et al. 2021, eq. 1); {@code
 * aesthetic} is the head's value of the image's embedding brought to length 1, as LAION's predictor
 * takes it.
 *
 * <p>A prompt's embedding is computed once and kept among the last {@value #TEXT_CACHE}.
 *
 * <p>Thread-safe. Images are prepared on the callers' threads; the towers run for one caller at a
 * time, so that scoring never takes more threads than PyTorch was given.
 */
public final class ScorerModel implements Scorer, AutoCloseable {

  /** Images that go through the image tower together; bounds memory. */
  public static final int MAX_BATCH = 16;

  /** Prompts whose embeddings are kept. */
  public static final int TEXT_CACHE = 4096;

  private static final int GRAY = 127;

  private final ScorerManifest manifest;
  private final ClipPreprocessor preprocessor;
  private final PromptTokenizer tokenizer;
  private final TorchModule imageTower;
  private final TorchModule textTower;
  private final TorchModule aestheticHead;
  private final Deque<Runnable> closers;
  private final TextEmbeddings texts = new TextEmbeddings(TEXT_CACHE);
  private boolean closed;

  private ScorerModel(
      Path directory, ScorerManifest manifest, Device device, Deque<Runnable> closers)
      throws IOException {
    this.manifest = manifest;
    this.closers = closers;
    this.preprocessor = new ClipPreprocessor(manifest.image());
    this.tokenizer =
        PromptTokenizer.load(directory.resolve(manifest.tokenizer()), manifest.maxTokens());
    closers.push(tokenizer::close);
    this.imageTower = open(directory, manifest.files().get("image"), device, closers);
    this.textTower = open(directory, manifest.files().get("text"), device, closers);
    this.aestheticHead = open(directory, manifest.files().get("aesthetic"), device, closers);
  }

  private static TorchModule open(
      Path directory, @Nullable String file, Device device, Deque<Runnable> closers)
      throws IOException {
    TorchModule module = TorchModule.load(directory, Objects.requireNonNull(file), device);
    closers.push(module::close);
    return module;
  }

  /**
   * Loads a scorer onto the first GPU, if DJL sees one, else the CPU.
   *
   * @see #load(Path, String)
   */
  public static ScorerModel load(Path directory) throws IOException {
    return load(directory, "auto");
  }

  /**
   * Loads a scorer, and scores a gray square, so that a module that does not fit shows now.
   *
   * <p>The engine's number of threads is {@link TorchRuntime#start}'s business, before this.
   *
   * @param directory with {@code scorer.json} and the files that it names
   * @param device {@code auto}, {@code cpu}, {@code gpu} or {@code gpu:N}
   * @throws IOException when a file cannot be read, or the tokenizer is none
   * @throws IllegalArgumentException when the manifest or a digest is wrong, with every problem, or
   *     a module cannot be loaded or does not fit, or there is no such device
   */
  public static ScorerModel load(Path directory, String device) throws IOException {
    ScorerManifest manifest = ScorerManifestReader.read(directory);
    Deque<Runnable> closers = new ArrayDeque<>();
    try {
      ScorerModel model =
          new ScorerModel(directory, manifest, TorchRuntime.device(device), closers);
      model.score(List.of(new ScoreInput("", gray(manifest.image().size()))));
      return model;
    } catch (IllegalStateException e) {
      closers.forEach(Runnable::run);
      throw new IllegalArgumentException(directory + ": " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      closers.forEach(Runnable::run);
      throw e;
    }
  }

  private static ImageOutput gray(int side) {
    byte[] rgb = new byte[3 * side * side];
    Arrays.fill(rgb, (byte) GRAY);
    return new ImageOutput(side, side, rgb);
  }

  @Override
  public Map<String, String> scorers() {
    return Map.of(CLIP, manifest.identity(), AESTHETIC, manifest.identity());
  }

  /** Name of the scorer, as its manifest says. */
  public String name() {
    return manifest.name();
  }

  /** Prompts whose embedding was at hand, since loading. */
  public synchronized long textCacheHits() {
    return texts.hits();
  }

  /** Prompts whose embedding had to be computed, since loading. */
  public synchronized long textCacheMisses() {
    return texts.misses();
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when the model is closed or a module fails
   */
  @Override
  public List<ImageScores> score(List<ScoreInput> inputs) {
    List<ImageScores> scores = new ArrayList<>(inputs.size());
    for (int from = 0; from < inputs.size(); from += MAX_BATCH) {
      scores.addAll(batch(inputs.subList(from, Math.min(inputs.size(), from + MAX_BATCH))));
    }
    return scores;
  }

  private List<ImageScores> batch(List<ScoreInput> inputs) {
    int side = preprocessor.size();
    float[] pixels = new float[inputs.size() * 3 * side * side];
    for (int i = 0; i < inputs.size(); i++) {
      preprocessor.prepare(inputs.get(i).image(), pixels, i * 3 * side * side);
    }
    return towers(pixels, inputs);
  }

  private synchronized List<ImageScores> towers(float[] pixels, List<ScoreInput> inputs) {
    if (closed) {
      throw new IllegalStateException("the scorer is closed");
    }
    List<PromptTokens> prompts =
        inputs.stream().map(input -> tokenizer.encode(input.prompt())).toList();
    float[][] images = embedImages(pixels, prompts.size());
    float[][] wanted = embedTexts(prompts);
    float[][] aesthetics = judge(images);
    List<ImageScores> scores = new ArrayList<>(prompts.size());
    for (int i = 0; i < images.length; i++) {
      Map<String, Double> values =
          Map.of(CLIP, dot(images[i], wanted[i]), AESTHETIC, (double) aesthetics[i][0]);
      scores.add(new ImageScores(values, images[i]));
    }
    return scores;
  }

  private float[][] embedImages(float[] pixels, int count) {
    int side = preprocessor.size();
    try (NDManager manager = imageTower.newManager()) {
      NDList input = new NDList(manager.create(pixels, new Shape(count, 3, side, side)));
      return unit(imageTower.rows(input, count, manifest.embedding()));
    }
  }

  private float[][] embedTexts(List<PromptTokens> prompts) {
    Map<PromptTokens, float[]> known = new HashMap<>();
    Set<PromptTokens> missing = new LinkedHashSet<>();
    for (PromptTokens prompt : prompts) {
      float[] embedding = texts.find(prompt);
      if (embedding == null) {
        missing.add(prompt);
      } else {
        known.put(prompt, embedding);
      }
    }
    if (!missing.isEmpty()) {
      List<PromptTokens> order = List.copyOf(missing);
      float[][] computed = runTextTower(order);
      for (int i = 0; i < computed.length; i++) {
        known.put(order.get(i), computed[i]);
        texts.put(order.get(i), computed[i]);
      }
    }
    return prompts.stream().map(known::get).toArray(float[][]::new);
  }

  /** Always padded to the full length: a prompt's embedding must not depend on its neighbours. */
  private float[][] runTextTower(List<PromptTokens> prompts) {
    int length = manifest.maxTokens();
    long[] ids = new long[prompts.size() * length];
    float[] mask = new float[ids.length];
    for (int i = 0; i < prompts.size(); i++) {
      long[] own = prompts.get(i).ids();
      System.arraycopy(own, 0, ids, i * length, own.length);
      Arrays.fill(mask, i * length, i * length + own.length, 1);
    }
    try (NDManager manager = textTower.newManager()) {
      Shape shape = new Shape(prompts.size(), length);
      NDList input = new NDList(manager.create(ids, shape), manager.create(mask, shape));
      return unit(textTower.rows(input, prompts.size(), manifest.embedding()));
    }
  }

  private float[][] judge(float[][] embeddings) {
    try (NDManager manager = aestheticHead.newManager()) {
      return aestheticHead.rows(new NDList(manager.create(embeddings)), embeddings.length, 1);
    }
  }

  private static float[][] unit(float[][] rows) {
    for (float[] row : rows) {
      double length = Math.sqrt(dot(row, row));
      for (int i = 0; i < row.length; i++) {
        row[i] = (float) (row[i] / length);
      }
    }
    return rows;
  }

  private static double dot(float[] a, float[] b) {
    double sum = 0;
    for (int i = 0; i < a.length; i++) {
      sum += (double) a[i] * b[i];
    }
    return sum;
  }

  /** Frees the native memory, after the call that is running; later calls do nothing. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      closers.forEach(Runnable::run);
    }
  }
}
