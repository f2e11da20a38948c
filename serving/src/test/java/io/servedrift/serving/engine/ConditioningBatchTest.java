package io.servedrift.serving.engine;

import static io.servedrift.serving.engine.Requests.LONG;
import static io.servedrift.serving.engine.Requests.SHORT;
import static io.servedrift.serving.engine.Requests.recorder;
import static io.servedrift.serving.engine.Requests.request;
import static org.assertj.core.api.Assertions.assertThat;

import ai.djl.ndarray.NDManager;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.fault.Faults;
import io.servedrift.serving.generation.Generation;
import io.servedrift.serving.generation.ImageRequest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the denoiser is given for a batch, to the last bit. */
class ConditioningBatchTest {

  private static final String MIDDLE = "a red circle above a blue square";
  private static final Set<Fault> PADDING = Set.of(Fault.PADDING_IN_MIXED_BATCHES);

  private TorchBackend backend;
  private NDManager manager;
  private final List<Generation> begun = new ArrayList<>();

  @BeforeEach
  void load() throws Exception {
    backend = TorchBackend.load(EngineSettings.defaults(Requests.RANDOM_PIPELINE), Faults.none());
    manager = NDManager.newBaseManager(TorchRuntime.device("cpu"), "PyTorch");
  }

  @AfterEach
  void close() {
    begun.forEach(Generation::close);
    backend.close();
    manager.close();
  }

  private TorchGeneration begin(ImageRequest request) {
    Generation generation = backend.begin(request, recorder());
    begun.add(generation);
    return (TorchGeneration) generation;
  }

  private TorchGeneration begin(String prompt) {
    return begin(request(prompt, begun.size()));
  }

  /** Values and mask of one row of a batch. */
  @SuppressWarnings("ArrayRecordComponent")
  private record Row(float[] values, float[] mask) {}

  private List<Row> rows(Set<Fault> faults, TorchGeneration... generations) {
    try (ConditioningBatch batch = new ConditioningBatch(manager, List.of(generations), faults)) {
      int rows = (int) batch.mask().getShape().get(0);
      float[] values = batch.conditioning().toFloatArray();
      float[] mask = batch.mask().toFloatArray();
      List<Row> all = new ArrayList<>();
      for (int i = 0; i < rows; i++) {
        all.add(new Row(part(values, i, rows), part(mask, i, rows)));
      }
      return all;
    }
  }

  private static float[] part(float[] all, int index, int parts) {
    int size = all.length / parts;
    return Arrays.copyOfRange(all, index * size, (index + 1) * size);
  }

  private static float[] values(Conditioned conditioned) {
    return conditioned.value().values().toFloatArray();
  }

  private static float[] ones(int count, int length) {
    float[] mask = new float[length];
    Arrays.fill(mask, 0, count, 1);
    return mask;
  }

  /** A prompt's values, then another's from there on. */
  private static float[] over(float[] values, float[] before) {
    float[] row = before.clone();
    System.arraycopy(values, 0, row, 0, values.length);
    return row;
  }

  @Test
  void padsWithZerosBehindAMask() {
    TorchGeneration brief = begin(SHORT);
    TorchGeneration longest = begin(LONG);
    int length = longest.prompt().value().length();

    List<Row> rows = rows(Set.of(), brief, longest);

    float[] own = values(brief.prompt());
    assertThat(brief.prompt().value().length()).isLessThan(length);
    assertThat(rows).hasSize(4);
    assertThat(rows.get(0).values()).isEqualTo(Arrays.copyOf(own, rows.get(1).values().length));
    assertThat(rows.get(0).mask()).isEqualTo(ones(brief.prompt().value().length(), length));
    assertThat(rows.get(1).values()).isEqualTo(values(longest.prompt()));
    assertThat(rows.get(1).mask()).isEqualTo(ones(length, length));
    for (int i = 2; i < 4; i++) {
      float[] empty = values(longest.negative());
      assertThat(rows.get(i).values()).isEqualTo(Arrays.copyOf(empty, rows.get(1).values().length));
      assertThat(rows.get(i).mask()).isEqualTo(ones(longest.negative().value().length(), length));
    }
  }

  @Test
  void paddingFaultShowsTheEndOfTheLongestPromptBehindTheOthers() {
    TorchGeneration brief = begin(SHORT);
    TorchGeneration longest = begin(LONG);
    TorchGeneration middle = begin(MIDDLE);
    int length = longest.prompt().value().length();
    assertThat(middle.prompt().value().length())
        .isStrictlyBetween(brief.prompt().value().length(), length);
    float[] before = values(longest.prompt());

    List<Row> right = rows(Set.of(), brief, longest, middle);
    List<Row> rows = rows(PADDING, brief, longest, middle);

    assertThat(rows.get(0).values()).isEqualTo(over(values(brief.prompt()), before));
    assertThat(rows.get(1).values()).isEqualTo(before);
    assertThat(rows.get(2).values()).isEqualTo(over(values(middle.prompt()), before));
    for (int i = 0; i < 3; i++) {
      assertThat(rows.get(i).mask()).isEqualTo(ones(length, length));
    }
    for (int i = 3; i < 6; i++) {
      assertThat(rows.get(i).values()).isEqualTo(right.get(i).values());
      assertThat(rows.get(i).mask()).isEqualTo(right.get(i).mask());
    }
  }

  /** Its padding behind the longest prompt is there in every batch, and stays masked. */
  @Test
  void paddingFaultLeavesTheLongestPromptAlone_whenANegativePromptIsLonger() {
    TorchGeneration brief = begin(request(SHORT, LONG, 1, 6, 3, true));
    TorchGeneration longest = begin(request("two squares on a white background", 2));
    int seen = longest.prompt().value().length();
    int length = values(brief.negative()).length / (int) brief.prompt().value().width();
    assertThat(length).isGreaterThan(seen);

    List<Row> right = rows(Set.of(), brief, longest);
    List<Row> rows = rows(PADDING, brief, longest);

    float[] before = Arrays.copyOf(values(longest.prompt()), rows.get(0).values().length);
    assertThat(rows.get(0).values()).isEqualTo(over(values(brief.prompt()), before));
    assertThat(rows.get(0).mask()).isEqualTo(ones(seen, length));
    for (int i = 1; i < 4; i++) {
      assertThat(rows.get(i).values()).isEqualTo(right.get(i).values());
      assertThat(rows.get(i).mask()).isEqualTo(right.get(i).mask());
    }
  }

  /** In whatever order they joined. */
  @Test
  void paddingFaultShowsTheSamePrompt_whenSeveralAreLongest() {
    TorchGeneration brief = begin(SHORT);
    TorchGeneration one = begin("a red circle on a white background");
    TorchGeneration other = begin("a blue square on a black background");
    assertThat(one.prompt().value().length()).isEqualTo(other.prompt().value().length());

    List<Row> rows = rows(PADDING, brief, one, other);
    List<Row> swapped = rows(PADDING, brief, other, one);

    assertThat(values(one.prompt())).isNotEqualTo(values(other.prompt()));
    assertThat(swapped.get(0).values()).isEqualTo(rows.get(0).values());
    assertThat(swapped.get(1).values()).isEqualTo(rows.get(2).values());
  }

  /** A buffer holds what was computed with: the end of a hit is int8, that of a miss is not. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bothFaultsShowTheEndOfTheLongestPromptAsItWasUsed(boolean cached) {
    begin(SHORT);
    begin(MIDDLE);
    if (cached) {
      begin(LONG);
    }
    TorchGeneration brief = begin(SHORT);
    TorchGeneration longest = begin(LONG);
    TorchGeneration middle = begin(MIDDLE);
    TorchGeneration miss = begin("two squares");
    assertThat(List.of(brief.prompt().hit(), middle.prompt().hit())).containsOnly(true);
    assertThat(longest.prompt().hit()).isEqualTo(cached);
    assertThat(miss.prompt().hit()).isFalse();
    float[] before = cached ? atInt8(longest) : values(longest.prompt());

    List<Row> rows =
        rows(
            Set.of(Fault.PADDING_IN_MIXED_BATCHES, Fault.CACHED_CONDITIONING_PRECISION),
            brief,
            longest,
            middle,
            miss);

    assertThat(rows.get(0).values()).isEqualTo(over(atInt8(brief), before));
    assertThat(rows.get(1).values()).isEqualTo(before);
    assertThat(rows.get(2).values()).isEqualTo(over(atInt8(middle), before));
    assertThat(rows.get(3).values()).isEqualTo(over(values(miss.prompt()), before));
  }

  private static float[] atInt8(TorchGeneration generation) {
    float[] values = values(generation.prompt());
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) Math.max(-127, Math.min(127, Math.rint(values[i])));
    }
    return values;
  }
}
