package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.EventReader;
import io.servedrift.schemas.Problem;
import io.servedrift.schemas.Reading;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs an adapter over fixtures; every event is checked like one of the contract. */
final class AdapterRun implements AdapterOutput {
  final List<JsonNode> events = new ArrayList<>();
  final List<String> refused = new ArrayList<>();
  final Map<String, Integer> skipped = new TreeMap<>();
  final Map<String, Integer> rejected = new TreeMap<>();
  final List<String> problems = new ArrayList<>();
  final Map<String, Integer> notes = new TreeMap<>();
  final List<Long> lines = new ArrayList<>();
  private static final EventReader READER = new EventReader();

  static AdapterRun of(AdapterFormat format, AdapterSettings settings, String... resources)
      throws UnfitSourceException {
    AdapterRun run = new AdapterRun();
    Adapter adapter = format.open(settings);
    for (int i = 0; i < resources.length; i++) {
      run.feed(adapter, lines(resources[i]), i);
    }
    adapter.end(run);
    return run;
  }

  static AdapterRun ofLines(AdapterFormat format, AdapterSettings settings, List<String> lines)
      throws UnfitSourceException {
    AdapterRun run = new AdapterRun();
    Adapter adapter = format.open(settings);
    run.feed(adapter, lines, 0);
    adapter.end(run);
    return run;
  }

  private void feed(Adapter adapter, List<String> content, int file) {
    for (int n = 0; n < content.size(); n++) {
      adapter.take(
          new SourceLine(content.get(n).getBytes(StandardCharsets.UTF_8), file, n + 1), this);
    }
  }

  static List<String> lines(String resource) {
    try (InputStream in = AdapterRun.class.getResourceAsStream("/adapters/" + resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void event(ObjectNode publicJson, SourceLine from) {
    if (READER.readJson(publicJson) instanceof Reading.Rejected why) {
      refused.add(why.detail());
    } else {
      events.add(publicJson);
      lines.add(from.number());
    }
  }

  @Override
  public void skip(String reason, SourceLine from) {
    skipped.merge(reason, 1, Integer::sum);
  }

  @Override
  public void reject(String reason, List<Problem> why, SourceLine from) {
    rejected.merge(reason, 1, Integer::sum);
    why.forEach(problem -> problems.add(problem.text()));
  }

  @Override
  public void note(String what) {
    notes.merge(what, 1, Integer::sum);
  }

  /** The request of an id, as it is written. */
  String request(String id) {
    return events.stream()
        .filter(e -> e.path("type").asText().equals("request"))
        .filter(e -> e.path("request_id").asText().equals(id))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no request " + id + " in " + events))
        .toString();
  }

  List<JsonNode> ofType(String type) {
    return events.stream().filter(e -> e.path("type").asText().equals(type)).toList();
  }

  List<String> kinds() {
    return ofType("serving_event").stream().map(e -> e.path("kind").asText()).toList();
  }
}
