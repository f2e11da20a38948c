package io.servedrift.monitors.gate.run;

import io.servedrift.monitors.gate.Answer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Has images scored, each once however often it was made. Not thread-safe. */
final class Scoring {
  private final ScorerClient scorer;
  private final OutputFolder outputs;
  private final Journal journal;
  private final Map<String, Embedded> known;
  private final IntFunction<GatePrompt> prompts;
  private final Consumer<String> warnings;

  /**
   * For one run.
   *
   * @param known what was scored before, by {@link #key}; what is scored is added
   * @param prompts by index in the file
   */
  Scoring(
      ScorerClient scorer,
      OutputFolder outputs,
      Journal journal,
      Map<String, Embedded> known,
      IntFunction<GatePrompt> prompts,
      Consumer<String> warnings) {
    this.scorer = scorer;
    this.outputs = outputs;
    this.journal = journal;
    this.known = known;
    this.prompts = prompts;
    this.warnings = warnings;
  }

  /** How an image for a prompt is found again; null for an answer without one. */
  static @Nullable String key(Answer answer) {
    Answer.Output output = answer.output();
    return output == null || output.digest() == null
        ? null
        : answer.prompt().index() + "/" + output.digest();
  }

  /** The same answers with the scores of their images. */
  List<Answer> score(List<Answer> answers) throws IOException {
    Map<String, ScorerClient.Item> wanted = new LinkedHashMap<>();
    for (Answer answer : answers) {
      String key = key(answer);
      String file = answer.output() == null ? null : answer.output().file();
      if (key != null && file != null && !known.containsKey(key)) {
        wanted.put(
            key,
            new ScorerClient.Item(
                prompts.apply(answer.prompt().index()).text(), outputs.read(file)));
      }
    }
    ask(wanted);
    List<Answer> scored = new ArrayList<>();
    for (Answer answer : answers) {
      String key = key(answer);
      Embedded embedded = key == null ? null : known.get(key);
      scored.add(embedded == null ? answer : with(answer, embedded));
    }
    return scored;
  }

  private void ask(Map<String, ScorerClient.Item> wanted) throws IOException {
    if (wanted.isEmpty()) {
      return;
    }
    List<String> problems = new ArrayList<>();
    List<@Nullable Embedded> scored = scorer.score(List.copyOf(wanted.values()), problems);
    int i = 0;
    for (String key : wanted.keySet()) {
      Embedded one = scored.get(i++);
      if (one != null) {
        known.put(key, one);
        var line = Journal.JSON.createObjectNode().put("kind", "scores").put("of", key);
        line.set("scores", Journal.JSON.valueToTree(one));
        journal.append(line);
      }
    }
    new TreeSet<>(problems).forEach(warnings);
  }

  private static Answer with(Answer answer, Embedded embedded) {
    Answer scored = answer;
    for (Map.Entry<String, Double> score : embedded.scores().entrySet()) {
      String scorer = embedded.scorers().getOrDefault(score.getKey(), "unknown");
      scored = scored.withScore(score.getKey(), score.getValue(), scorer);
    }
    return scored;
  }
}
