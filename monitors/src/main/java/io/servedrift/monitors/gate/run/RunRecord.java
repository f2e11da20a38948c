package io.servedrift.monitors.gate.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.monitors.gate.Answer;
import io.servedrift.monitors.gate.ArmPair;
import io.servedrift.monitors.gate.EndpointFacts;
import io.servedrift.monitors.gate.Evidence;
import io.servedrift.monitors.gate.PairDistance;
import io.servedrift.monitors.gate.Readiness;
import io.servedrift.monitors.gate.RegimeCell;
import io.servedrift.monitors.gate.RollbackEvidence;
import io.servedrift.monitors.gate.RunSettings;
import io.servedrift.monitors.gate.Side;
import io.servedrift.monitors.gate.TrafficProfile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The state of a run, put together from the lines of its journal. Not thread-safe. */
final class RunRecord {
  /** What is said when a flip was begun and its end is not known. */
  static final String FLIP_OPEN =
      "a flip to the new side was begun and the way back was not seen: look at what the switched"
          + " address serves";

  private final Map<String, List<Answer>> answers = new LinkedHashMap<>();
  private final Set<String> done = new HashSet<>();
  private final Map<String, PairDistance> distances = new LinkedHashMap<>();
  private final Map<Side, EndpointFacts> before = new EnumMap<>(Side.class);
  private final Map<Side, EndpointFacts> after = new EnumMap<>(Side.class);
  private final Map<String, Embedded> embedded = new HashMap<>();
  private @Nullable JsonNode plan;
  private @Nullable RunSettings settings;
  private @Nullable RollbackEvidence rollback;
  private @Nullable TrafficProfile traffic;
  private @Nullable Double peak;
  private boolean flipOpen;
  private Readiness readiness = Readiness.notLookedAt();

  /**
   * Reads the journal of a folder.
   *
   * @throws GateInputException when there is none, or a line is not what a gate writes
   */
  static RunRecord read(Path folder) throws IOException, GateInputException {
    RunRecord record = new RunRecord();
    Journal.read(folder, record::add);
    return record;
  }

  private void add(JsonNode line) throws JsonProcessingException {
    String step = line.path("step").asText();
    switch (line.path("kind").asText()) {
      case "plan" -> plan = line.get("plan");
      case "settings" -> settings = value(line.get("settings"), RunSettings.class);
      case "facts" -> {
        EndpointFacts facts = value(line.get("facts"), EndpointFacts.class);
        (line.path("when").asText().equals("after") ? after : before).put(facts.side(), facts);
      }
      case "begun" -> answers.put(step, new ArrayList<>());
      case "answer" ->
          answers
              .computeIfAbsent(step, id -> new ArrayList<>())
              .add(value(line.get("answer"), Answer.class));
      case "done" -> done.add(step);
      case "scores" ->
          embedded.put(line.path("of").asText(), value(line.get("scores"), Embedded.class));
      case "distance" -> add(value(line.get("distance"), PairDistance.class));
      case "rollback" -> rollback = value(line.get("rollback"), RollbackEvidence.class);
      case "flip" -> flipOpen = line.path("begun").asBoolean();
      case "traffic" -> traffic = traffic(line.get("traffic"));
      case "peak" -> peak = line.path("per_second").asDouble();
      case "readiness" -> readiness = value(line.get("readiness"), Readiness.class);
      default -> throw new IllegalArgumentException("unknown kind");
    }
  }

  private static <T> T value(@Nullable JsonNode node, Class<T> type)
      throws JsonProcessingException {
    if (node == null) {
      throw new IllegalArgumentException("missing");
    }
    return Journal.JSON.treeToValue(node, type);
  }

  /** Keys of maps are written apart, for JSON knows only text there. */
  static JsonNode tree(TrafficProfile traffic) {
    var node = Journal.JSON.createObjectNode().put("source", traffic.source());
    node.put("repeat_share", traffic.repeatShare());
    node.set("classes", Journal.JSON.valueToTree(traffic.classes()));
    var cells = node.putArray("cells");
    traffic
        .requests()
        .forEach(
            (cell, n) ->
                cells
                    .addObject()
                    .put("requests", n)
                    .set("cell", Journal.JSON.<JsonNode>valueToTree(cell)));
    return node;
  }

  private static TrafficProfile traffic(JsonNode node) throws JsonProcessingException {
    Map<RegimeCell, Long> cells = new HashMap<>();
    for (JsonNode cell : node.path("cells")) {
      cells.put(value(cell.get("cell"), RegimeCell.class), cell.path("requests").asLong());
    }
    Map<String, Long> classes = new TreeMap<>();
    node.path("classes")
        .properties()
        .forEach(one -> classes.put(one.getKey(), one.getValue().asLong()));
    return new TrafficProfile(
        node.path("source").asText(), cells, classes, node.path("repeat_share").asDouble());
  }

  void add(PairDistance distance) {
    distances.put(key(distance.pair(), distance.prompt(), distance.seed()), distance);
  }

  boolean hasDistance(ArmPair pair, int prompt, long seed) {
    return distances.containsKey(key(pair, prompt, seed));
  }

  private static String key(ArmPair pair, int prompt, long seed) {
    return pair.label() + " " + prompt + " " + seed;
  }

  void begin(String step) {
    answers.put(step, new ArrayList<>());
  }

  void add(String step, Answer answer) {
    answers.computeIfAbsent(step, id -> new ArrayList<>()).add(answer);
  }

  void finish(String step) {
    done.add(step);
  }

  boolean isDone(String step) {
    return done.contains(step);
  }

  /** Answers of the steps that were done whole. */
  List<Answer> answers() {
    List<Answer> all = new ArrayList<>();
    answers.forEach(
        (step, its) -> {
          if (done.contains(step)) {
            all.addAll(its);
          }
        });
    return all;
  }

  void facts(boolean afterwards, EndpointFacts facts) {
    (afterwards ? after : before).put(facts.side(), facts);
  }

  @Nullable EndpointFacts facts(boolean afterwards, Side side) {
    return (afterwards ? after : before).get(side);
  }

  Map<String, Embedded> embedded() {
    return embedded;
  }

  @Nullable JsonNode plan() {
    return plan;
  }

  @Nullable RunSettings settings() {
    return settings;
  }

  void settings(RunSettings value) {
    settings = value;
  }

  void flip(boolean begins) {
    flipOpen = begins;
  }

  /** Whether a flip to the new side was begun whose end is not known. */
  boolean isFlipOpen() {
    return flipOpen;
  }

  @Nullable RollbackEvidence rollback() {
    return rollback;
  }

  void rollback(RollbackEvidence value) {
    rollback = value;
  }

  void traffic(TrafficProfile value) {
    traffic = value;
  }

  Readiness readiness() {
    return readiness;
  }

  void readiness(Readiness value) {
    readiness = value;
  }

  @Nullable Double peak() {
    return peak;
  }

  void peak(double perSecond) {
    peak = perSecond;
  }

  /**
   * All of it, whole or cut short.
   *
   * @throws GateInputException when it was cut short before anything was known of the endpoints
   */
  Evidence evidence() throws GateInputException {
    EndpointFacts old = before.get(Side.OLD);
    EndpointFacts fresh = before.get(Side.NEW);
    if (old == null || fresh == null || settings == null) {
      throw new GateInputException(
          Journal.NAME + ": ends before the endpoints were asked what they are");
    }
    RunSettings used = settings;
    return new Evidence(
        old.profile().modality(),
        old,
        fresh,
        after.get(Side.OLD),
        after.get(Side.NEW),
        peak == null ? used : withPeak(used, peak),
        answers(),
        List.copyOf(distances.values()),
        rollback == null && flipOpen ? openFlip(old) : rollback,
        traffic,
        readiness);
  }

  private static RollbackEvidence openFlip(EndpointFacts old) {
    return new RollbackEvidence(false, "flip command", old, null, 0, 0, List.of(FLIP_OPEN));
  }

  private static RunSettings withPeak(RunSettings s, double peak) {
    return new RunSettings(
        s.runId(),
        s.startedAt(),
        s.seed(),
        s.prompts(),
        s.concurrency(),
        peak,
        s.loads(),
        s.blocks(),
        s.blockSeconds(),
        s.warmUpSeconds(),
        s.temperature());
  }
}
