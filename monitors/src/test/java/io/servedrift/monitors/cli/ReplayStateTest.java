package io.servedrift.monitors.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.monitors.testkit.SteadyTraffic;
import io.servedrift.schemas.EventJson;
import io.servedrift.schemas.avro.RequestEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A replay that goes on from what an earlier one knew. */
class ReplayStateTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;
  private Path whole;
  private Path first;
  private Path rest;
  private Path state;

  /** Hits lose quality after 130 minutes; the first file ends after two hours and a bit. */
  @BeforeEach
  void write() throws IOException {
    SteadyTraffic.Shape faulty = new SteadyTraffic.Shape();
    faulty.hitScore = -.03;
    List<RequestEvent> requests =
        new SteadyTraffic(3, 40)
            .run(Duration.ofMinutes(130))
            .run(Duration.ofMinutes(40), faulty)
            .take();
    whole = file("whole.ndjson", requests, 0, 170);
    first = file("first.ndjson", requests, 0, 125);
    // Half an hour of both, as the panes of the last hour are put together again.
    rest = file("rest.ndjson", requests, 95, 170);
    state = folder.resolve("judge.state");
  }

  private Path file(String name, List<RequestEvent> requests, int fromMinute, int toMinute)
      throws IOException {
    Instant from = SteadyTraffic.START.plusSeconds(60L * fromMinute);
    Instant to = SteadyTraffic.START.plusSeconds(60L * toMinute);
    return Files.write(
        folder.resolve(name),
        requests.stream()
            .filter(r -> !r.getFinishedAt().isBefore(from) && r.getFinishedAt().isBefore(to))
            .map(EventJson::write)
            .toList());
  }

  private record Ran(int code, List<JsonNode> findings, String err) {}

  private static Ran replay(Object... arguments) throws IOException {
    CommandLineHarness harness = new CommandLineHarness();
    List<String> all = new ArrayList<>(List.of("replay", "--json"));
    for (Object argument : arguments) {
      all.add(argument.toString());
    }
    int code = harness.run(all.toArray(String[]::new));
    List<JsonNode> findings = new ArrayList<>();
    for (String line : harness.out().lines().toList()) {
      JsonNode node = JSON.readTree(line);
      if (node.has("finding_id")) {
        findings.add(node);
      }
    }
    return new Ran(code, findings, harness.err());
  }

  @Test
  void findsTheSame_whenItGoesOnFromASavedState() throws IOException {
    Ran atOnce = replay("--file", whole);
    assertThat(atOnce.findings()).isNotEmpty();

    Ran before = replay("--file", first, "--save-state", state);
    assertThat(before.code()).isZero();
    assertThat(before.findings()).isEmpty();
    Ran after = replay("--file", rest, "--state", state);
    assertThat(after.code()).isZero();
    assertThat(after.findings()).isEqualTo(atOnce.findings());
    // Without it there is no baseline yet.
    assertThat(replay("--file", rest).findings()).isNotEqualTo(atOnce.findings());
  }

  @Test
  void saysWhatIsWrongWithAState() throws IOException {
    Ran none = replay("--file", whole, "--state", state);
    assertThat(none.code()).isEqualTo(2);
    assertThat(none.err()).contains("--state " + state + ": no such file");

    Files.writeString(state, "something else");
    Ran other = replay("--file", whole, "--state", state);
    assertThat(other.code()).isEqualTo(2);
    assertThat(other.err()).contains("is neither an archive nor a file of replay --save-state");

    assertThat(replay("--file", first, "--save-state", state).code()).isZero();
    byte[] saved = Files.readAllBytes(state);
    Files.write(state, java.util.Arrays.copyOf(saved, saved.length - 10));
    Ran cut = replay("--file", rest, "--state", state);
    assertThat(cut.code()).isEqualTo(2);
    assertThat(cut.err()).contains("--state " + state + ": is damaged");
  }

  @Test
  void refusesAStateFromAfterTheEvents() throws IOException {
    assertThat(replay("--file", whole, "--save-state", state).code()).isZero();
    Path early =
        Files.write(folder.resolve("early.ndjson"), Files.readAllLines(whole).subList(0, 9));
    Ran ran = replay("--file", early, "--state", state);
    assertThat(ran.code()).isEqualTo(11);
    assertThat(ran.err()).contains("no checkpoint");
  }

  @Test
  void savesTheStateOfAWholeRun_alsoWhenItsFindingsDifferFromOthers() throws IOException {
    Path none = Files.writeString(folder.resolve("none.ndjson"), "");
    assertThat(replay("--file", whole, "--compare", none, "--save-state", state).code())
        .isEqualTo(10);
    Path same = folder.resolve("same.state");
    assertThat(replay("--file", whole, "--save-state", same).code()).isZero();
    assertThat(state).hasSameBinaryContentAs(same);
  }

  @Test
  void writesNoState_whenNoFullHourWasPassed() throws IOException {
    Path early =
        Files.write(folder.resolve("early.ndjson"), Files.readAllLines(whole).subList(0, 9));
    Ran ran = replay("--file", early, "--save-state", state);
    assertThat(ran.code()).isEqualTo(11);
    assertThat(ran.err()).contains("no full hour was passed; not written");
    assertThat(state).doesNotExist();
    Ran nowhere = replay("--file", early, "--save-state", folder.resolve("none/judge.state"));
    assertThat(nowhere.code()).isEqualTo(2);
    assertThat(nowhere.err()).contains("its folder does not exist");
  }
}
