package io.servedrift.serving.score;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.servedrift.serving.generation.ImageOutput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CombiningScorerTest {

  private final GatedScorer gated = GatedScorer.shut();
  private final CombiningScorer combining = new CombiningScorer(gated, 4);
  private final ExecutorService callers = Executors.newCachedThreadPool();

  @AfterEach
  void stop() {
    gated.gate.release(100);
    callers.shutdown();
  }

  private static List<ScoreInput> inputs(String... prompts) {
    return Stream.of(prompts)
        .map(prompt -> new ScoreInput(prompt, new ImageOutput(1, 1, new byte[3])))
        .toList();
  }

  private CompletableFuture<List<Double>> call(String... prompts) {
    return CompletableFuture.supplyAsync(
        () ->
            combining.score(inputs(prompts)).stream()
                .map(each -> each.values().get(Scorer.CLIP))
                .toList(),
        callers);
  }

  /** A call that is scored until the gate opens. */
  private CompletableFuture<List<Double>> running(String prompt) {
    CompletableFuture<List<Double>> scores = call(prompt);
    await().until(() -> gated.batches.size() == 1);
    return scores;
  }

  /** A call that waits behind it, and behind those that wait already. */
  private CompletableFuture<List<Double>> waiting(String... prompts) {
    int before = combining.waiting();
    CompletableFuture<List<Double>> scores = call(prompts);
    await().until(() -> combining.waiting() == before + 1);
    return scores;
  }

  @Test
  void scoresTogether_whatGathersMeanwhile() {
    CompletableFuture<List<Double>> first = running("0.1");
    List<CompletableFuture<List<Double>>> later = new ArrayList<>();
    later.add(waiting("0.2", "0.3", "0.4"));
    later.add(waiting("0.5"));
    later.add(waiting("0.6"));
    gated.gate.release(3);

    assertThat(first.join()).containsExactly(0.1);
    assertThat(later.get(0).join()).containsExactly(0.2, 0.3, 0.4);
    assertThat(later.get(1).join()).containsExactly(0.5);
    assertThat(later.get(2).join()).containsExactly(0.6);
    assertThat(gated.batches).containsExactly(1, 4, 1);
    assertThat(combining.scorers()).isEqualTo(gated.scorers());
  }

  @Test
  void failsTheCallsOfABatch_andNoOthers() {
    CompletableFuture<List<Double>> first = running("0.1");
    CompletableFuture<List<Double>> one = waiting("0.2", "0.3", "0.4");
    CompletableFuture<List<Double>> bad = waiting("fail");
    CompletableFuture<List<Double>> after = waiting("0.6");
    gated.gate.release(3);

    assertThat(first.join()).containsExactly(0.1);
    for (CompletableFuture<List<Double>> failed : List.of(one, bad)) {
      assertThat(failed)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(IllegalStateException.class);
    }
    assertThat(after.join()).containsExactly(0.6);
  }

  @Test
  void endsEveryCallOfABatch_whenItMeetsAnError() {
    CompletableFuture<List<Double>> first = running("0.1");
    CompletableFuture<List<Double>> one = waiting("0.2", "0.3");
    CompletableFuture<List<Double>> bad = waiting("error");
    gated.gate.release(3);

    assertThat(first.join()).containsExactly(0.1);
    for (CompletableFuture<List<Double>> failed : List.of(one, bad)) {
      assertThat(failed)
          .failsWithin(Duration.ofSeconds(30))
          .withThrowableOfType(ExecutionException.class)
          .withCauseInstanceOf(StackOverflowError.class);
    }
  }

  @Test
  void tellsNoPrompt_whenAnInputIsPrinted() {
    ScoreInput input = inputs("a secret").get(0);

    assertThat(input).hasToString("ScoreInput[1x1]");
    assertThat(new ScoreQueue.Task("r-1", input, 0).toString())
        .contains("r-1")
        .doesNotContain("secret");
  }

  @Test
  void scoresNothing_whenGivenNothing() {
    gated.gate.release(1);

    assertThat(combining.score(List.of())).isEmpty();
  }
}
