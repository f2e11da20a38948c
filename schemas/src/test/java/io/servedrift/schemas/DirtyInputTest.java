package io.servedrift.schemas;

import static io.servedrift.schemas.Given.accepted;
import static io.servedrift.schemas.Given.contractRequest;
import static io.servedrift.schemas.Given.json;
import static io.servedrift.schemas.Given.read;
import static io.servedrift.schemas.Given.rejected;
import static io.servedrift.schemas.Given.smallRequest;
import static io.servedrift.schemas.Given.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.RequestEvent;
import io.servedrift.schemas.avro.RequestStatus;
import io.servedrift.schemas.avro.ServingEvent;
import io.servedrift.schemas.avro.ServingEventKind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every kind of dirty input ends as a readable rejection or as the right number. */
class DirtyInputTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      nullValues = "-",
      value = {
        // field | JSON value, - removes it | reason | part of the text
        "request_id        | -             | missing_field | request_id=(absent): must be text, not"
            + " empty, at most 256",
        "request_id        | ''            | bad_value     | request_id=text of 0 characters",
        "request_id        | 7             | bad_value     | request_id=7: must be text",
        "deployment        | null          | missing_field | deployment=(absent)",
        "status            | -             | missing_field | status=(absent): must be one of ok,"
            + " error, timeout, cancelled",
        "status            | 'success'     | bad_value     | status=\"success\": must be one of ok,"
            + " error, timeout, cancelled",
        "status            | true          | bad_value     | status=true: must be one of",
        "latency_seconds   | -1            | bad_value     | latency_seconds=-1: must be a finite"
            + " number between 0 and 86400",
        "latency_seconds   | NaN           | bad_value     | latency_seconds=NaN: must be a finite"
            + " number",
        "latency_seconds   | Infinity      | bad_value     | latency_seconds=Infinity",
        "latency_seconds   | -Infinity     | bad_value     | latency_seconds=-Infinity",
        "latency_seconds   | 'NaN'         | bad_value     | latency_seconds=\"NaN\": must be a"
            + " finite number",
        "latency_seconds   | 1e999         | bad_value     | latency_seconds=Infinity",
        "latency_seconds   | '3.4'         | bad_value     | latency_seconds=\"3.4\": must be a"
            + " finite number",
        "latency_seconds   | -             | missing_field | latency_seconds=(absent): must be"
            + " given for status ok, unless scores has",
        "latency_seconds   | 90000         | bad_value     | latency_seconds=90000",
        "finished_at       | '2026-11-30T10:00:03' | bad_time | a time with its zone (Z or an"
            + " offset such as +01:00): it has none",
        "finished_at       | '2026-11-30 10:00:03' | bad_time | finished_at=\"2026-11-30"
            + " 10:00:03\": must be a time with its zone",
        "finished_at       | 1796032803    | bad_time      | finished_at=1796032803: must be epoch"
            + " milliseconds; as a number it looks like seconds",
        "finished_at       | 1796032803000000 | bad_time   | looks like microseconds",
        "finished_at       | 1796032803000000000 | bad_time | looks like nanoseconds",
        "finished_at       | 0             | bad_time      | looks like no unit that gives a time"
            + " between 2000 and 2100",
        "finished_at       | NaN           | bad_time      | finished_at=NaN: must be a time"
            + " between 2000 and 2100",
        "finished_at       | 'yesterday'   | bad_time      | finished_at=\"yesterday\": must be a"
            + " time between 2000 and 2100",
        "finished_at       | '1970-01-01T00:00:00Z' | bad_time |"
            + " finished_at=\"1970-01-01T00:00:00Z\"",
        "finished_at       | true          | bad_time      | finished_at=true",
        "finished_at       | -             | missing_field | finished_at=(absent): must be given,"
            + " unless arrived_at and latency_seconds are",
        "arrived_at        | '2026-11-30T10:00:04Z' | inconsistent_times |"
            + " finished_at=2026-11-30T10:00:03Z: must be at or after"
            + " arrived_at=2026-11-30T10:00:04Z",
        "synthetic         | 'false'       | bad_value     | synthetic=\"false\": must be true or"
            + " false",
        "synthetic         | 0             | bad_value     | synthetic=0: must be true or false",
        "workload          | []            | bad_value     | workload=an array of 0 entries: must"
            + " be an object",
        "workload          | {'steps':-3}  | bad_value     | workload.steps=-3: must be a whole"
            + " number, at least 0",
        "workload          | {'steps':1.5} | bad_value     | workload.steps=1.5",
        "workload          | {'steps':3000000000} | bad_value | workload.steps=3000000000",
        "workload          | {'seed':99999999999999999999} | bad_value |"
            + " workload.seed=99999999999999999999",
        "workload          | {'sampling':{'top_p':1.5}} | bad_value | workload.sampling.top_p=1.5:"
            + " must be a finite number between 0 and 1",
        "workload          | {'adapters':['a',null]} | bad_value | workload.adapters[1]=null",
        "batch             | {'segments':[{'size':1,'steps':2},{'size':-1,'steps':2}]} | bad_value"
            + " | batch.segments[1].size=-1",
        "batch             | {'segments':[{'size':1}]} | missing_field |"
            + " batch.segments[0].steps=(absent)",
        "cache             | {'conditioning':'warm'} | bad_value | cache.conditioning=\"warm\":"
            + " must be one of hit, miss, partial, bypass",
        "scores            | {'clip':'high'} | bad_value   | scores.clip=\"high\": must be a finite"
            + " number",
        "scores            | {'':1}        | bad_value     | scores=a key of 0 characters: must be"
            + " keys of 1 to 64 characters",
        "stage_seconds     | {'decode':-0.1} | bad_value   | stage_seconds.decode=-0.1: must be a"
            + " finite number between 0 and 86400",
        "config            | 'fast'        | bad_value     | config=\"fast\": must be an object",
        "config            | {'sampling':{'top_p':NaN}} | bad_value | config=an object: must be"
            + " finite numbers"
      })
  void rejectsField(String field, String value, String reason, String text) {
    ObjectNode request = smallRequest();
    if (value == null) {
      request.remove(field);
    }
    String item = request.toString();
    if (value != null) {
      request.remove(field);
      item = request.toString();
      item =
          item.substring(0, item.length() - 1)
              + ",\""
              + field
              + "\":"
              + value.replace('\'', '"')
              + "}";
    }

    Reading.Rejected rejected = rejected(read(item));

    assertThat(rejected.detail()).contains(text);
    assertThat(rejected.reason()).isEqualTo(reason);
    assertThat(rejected.problems()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'type':'request'            | bad_json    | JSON that ends in the middle at line 1",
        "{'type':'tick','at':1,}      | bad_json    | broken JSON",
        "{'type':'tick'}{'type':'tick'} | bad_json  | more than one value",
        "{'type':'tick','at':'2026-11-30T10:00:03Z','at':'2026-11-30T10:00:04Z'} | bad_json | a"
            + " repeated key",
        "{'type':'tick','x':{'y':1,'y':2}} | bad_json | a repeated key",
        "[{'type':'tick'}]            | bad_json    | an array: must be one JSON object",
        "{'type':'request_v2'}        | unknown_type | type=\"request_v2\": must be one of request,"
            + " score, serving_event, config, heartbeat, review, eval, tick, decision",
        "{'type':'window'}            | unknown_type | type=\"window\"",
        "{'request_id':'r'}           | unknown_type | type=(absent)",
        "{'type':7}                   | unknown_type | type=7",
        "hello                        | unknown_format | 5 bytes starting with 68"
      })
  void rejectsItem(String item, String reason, String text) {
    Reading.Rejected rejected = rejected(read(item));
    assertThat(rejected.reason()).isEqualTo(reason);
    assertThat(rejected.detail()).contains(text);
  }

  @Test
  void reportsEveryProblem() {
    ObjectNode request =
        (ObjectNode)
            json(
                "{'type':'request','deployment':'','status':'fine','finished_at':'2026-11-30T10:00:03',"
                    + "'latency_seconds':-1,'batch':{'segments':[{'size':1,'steps':1},{'size':-1},{'size':'x','steps':1}]}}");

    Reading.Rejected rejected = rejected(read(request));

    assertThat(rejected.reason()).isEqualTo("missing_field");
    assertThat(rejected.problems())
        .extracting(Problem::path)
        .containsExactly(
            "request_id",
            "deployment",
            "finished_at",
            "status",
            "latency_seconds",
            "batch.segments[1].size",
            "batch.segments[1].steps",
            "batch.segments[2].size");
  }

  @Test
  void countsRest_whenProblemsAreMany() {
    ObjectNode request = smallRequest();
    for (int i = 0; i < 256; i++) {
      request.withObject("batch").withArray("neighbours").add(i);
    }
    Reading.Rejected rejected = rejected(read(request));
    assertThat(rejected.problems()).hasSize(101);
    assertThat(rejected.problems().get(100).value()).isEqualTo("156 more problems");
  }

  @Test
  void rejectsTooLargeItem_beforeParsingIt() {
    byte[] line = ("{\"type\":\"" + "x".repeat(10 * 1024 * 1024)).getBytes(StandardCharsets.UTF_8);
    Reading.Rejected rejected = rejected(new EventReader().read(line));
    assertThat(rejected.reason()).isEqualTo("too_large");
    assertThat(rejected.detail()).isEqualTo("(item)=10485769 bytes: must be at most 1048576 bytes");
  }

  @Test
  void rejectsTooDeepItem() {
    String deep = "{\"type\":\"tick\",\"x\":" + "[".repeat(100_000) + "]".repeat(100_000) + "}";
    assertThat(rejected(read(deep)).reason()).isEqualTo("too_large");
  }

  @Test
  void rejectsBytesThatAreNotUtf8() {
    byte[] latin1 = "{\"type\":\"tick\",\"n\":\"\u00e9\"}".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(rejected(new EventReader().read(latin1)).reason()).isEqualTo("bad_json");
  }

  @Test
  void rejectsHalfACharacter() {
    Reading.Rejected rejected = rejected(read(smallRequest().toString().replace("r-1", "\\ud83d")));
    assertThat(rejected.detail()).contains("request_id=text with half a character");
  }

  @Test
  void ignoresAndCountsUnknownFields() {
    ObjectNode request = contractRequest();
    request.put("colour", "red");
    request.withObject("cache").put("flavour", 3);
    request.withObject("workload").withObject("sampling").putObject("deep").put("a", 1).put("b", 2);
    Reading.Accepted accepted = accepted(read(request));
    assertThat(accepted.unknownFields()).isEqualTo(3);
    assertThat(accepted.unknownNames())
        .containsExactlyInAnyOrder("colour", "cache.flavour", "workload.sampling.deep");
  }

  @Test
  void namesUnknownFields_butNotThoseThatCanBeContent() {
    ObjectNode request = smallRequest();
    request.put("a red bicycle on a beach", 1);
    for (int i = 0; i < 40; i++) {
      request.put("field-" + i, i);
    }
    Reading.Accepted accepted = accepted(read(request));
    assertThat(accepted.unknownFields()).isEqualTo(41);
    assertThat(accepted.unknownNames())
        .hasSize(16)
        .startsWith("(text of 24 characters)", "field-0")
        .noneMatch(name -> name.contains("bicycle"));
  }

  @Test
  void rejectsAConfigurationOfTheWrongShape_insteadOfCallingItUnknown() {
    ObjectNode flat = smallRequest();
    flat.putObject("config").put("runtime", "sglang").put("batching", 8);
    assertThat(rejected(read(flat)).detail())
        .contains("config.batching=8: must be an object with members such as delay_ms")
        .contains("config.runtime=\"sglang\": must be an object with members such as libraries");

    ObjectNode libraries = smallRequest();
    libraries.putObject("config").putObject("runtime").put("name", "a").put("libraries", "cuda 12");
    assertThat(rejected(read(libraries)).detail())
        .contains("config.runtime.libraries=text of 7 characters: must be an object");
  }

  @Test
  void takesAConfigurationInWhichNothingCounts_andNamesWhatItIgnores() {
    ObjectNode request = smallRequest();
    request.putObject("config").put("port", 8000).putObject("runtime").put("flavour", "large");
    request.putObject("model").put("id", "flux-dev").putNull("name");
    Reading.Accepted accepted = accepted(read(request));
    assertThat(((RequestEvent) accepted.event()).getConfigId()).isEqualTo("unknown");
    assertThat(((RequestEvent) accepted.event()).getModelId()).isEqualTo("unknown");
    assertThat(accepted.registrations()).isEmpty();
    assertThat(accepted.unknownFields()).isEqualTo(3);
    assertThat(accepted.unknownNames())
        .containsExactly("config.port", "config.runtime.flavour", "model.id");
  }

  @Test
  void takesAnEmptyConfigurationForNone() {
    ObjectNode request = smallRequest();
    request.putObject("config").putNull("runtime").putObject("batching");
    Reading.Accepted accepted = accepted(read(request));
    assertThat(((RequestEvent) accepted.event()).getConfigId()).isEqualTo("unknown");
    assertThat(accepted.registrations()).isEmpty();
  }

  @Test
  void takesNullForAbsent() {
    ObjectNode request = smallRequest();
    for (RecordPlan.Field field : EventType.REQUEST.plan().fields) {
      if (!request.has(field.name())) {
        request.putNull(field.name());
      }
    }
    assertThat(accepted(read(request)).event()).isEqualTo(accepted(read(smallRequest())).event());
    assertThat(((RequestEvent) accepted(read(request)).event()).getConfigId()).isEqualTo("unknown");
  }

  @Test
  void computesEnd_whenOnlyArrivalAndLatencyAreGiven() {
    ObjectNode request = smallRequest();
    request.remove("finished_at");
    request.put("arrived_at", "2026-11-30T10:00:00Z").put("latency_seconds", 3.4000005);
    RequestEvent e = (RequestEvent) accepted(read(request)).event();
    assertThat(e.getFinishedAt()).isEqualTo(Instant.parse("2026-11-30T10:00:03.400001Z"));
  }

  @Test
  void reportsOnlyTheCause_whenEndCannotBeComputed() {
    ObjectNode request = smallRequest();
    request.remove("finished_at");
    request.put("arrived_at", "2026-11-30T10:00:00");
    assertThat(rejected(read(request)).problems())
        .extracting(Problem::path)
        .containsExactly("arrived_at");
  }

  @Test
  void acceptsScoreInPlaceOfLatency() {
    ObjectNode request = smallRequest();
    request.remove("latency_seconds");
    request.withObject("scores").put("clip", 0.3);
    accepted(read(request));
  }

  @Test
  void needsNeitherLatencyNorScore_whenStatusIsNotOk() {
    ObjectNode request = smallRequest();
    request.remove("latency_seconds");
    request.put("status", "timeout");
    assertThat(((RequestEvent) accepted(read(request)).event()).getStatus())
        .isEqualTo(RequestStatus.TIMEOUT);
  }

  @Test
  void readsEpochMilliseconds() {
    ObjectNode request = smallRequest();
    request.put("finished_at", 1_796_032_803_530L);
    RequestEvent e = (RequestEvent) accepted(read(request)).event();
    assertThat(e.getFinishedAt()).isEqualTo(Instant.ofEpochMilli(1_796_032_803_530L));
    request.put("finished_at", 1_796_032_803_530.25);
    e = (RequestEvent) accepted(read(request)).event();
    assertThat(e.getFinishedAt()).isEqualTo(Instant.parse("2026-11-30T10:00:03.530250Z"));
  }

  @Test
  void keepsUnknownKindAsOther() {
    Reading.Accepted reading =
        accepted(
            read(
                "{'type':'serving_event','event_id':'e-1','at':'2026-11-30T10:00:00Z','deployment':'d',"
                    + "'kind':'moon_phase','attributes':{'reason':'memory','count':3,'forced':true}}"));
    ServingEvent e = (ServingEvent) reading.event();
    assertThat(e.getKind()).isEqualTo(ServingEventKind.OTHER);
    assertThat(e.getAttributes())
        .containsEntry("kind", "moon_phase")
        .containsEntry("count", "3")
        .containsEntry("forced", "true")
        .containsEntry("reason", "memory");
  }

  @Test
  void rejectsServingEventWithoutKind() {
    Reading.Rejected r =
        rejected(
            read(
                "{'type':'serving_event','event_id':'e-1','at':'2026-11-30T10:00:00Z','deployment':'d'}"));
    assertThat(r.reason()).isEqualTo("missing_field");
    assertThat(r.detail()).contains("kind=(absent): must be one of config_changed, cache_flush");
  }

  @Test
  void neverQuotesContent_inItsProblems() {
    String prompt = "a watercolour of my neighbour";
    Reading.Rejected r =
        rejected(
            read(
                "{'type':'request','request_id':'PROMPT','deployment':['PROMPT'],'status':'PROMPT','finished_at':'PROMPT',"
                        .replace("PROMPT", prompt)
                    + "'latency_seconds':'PROMPT','workload':'PROMPT','scores':{'PROMPT':'PROMPT'},'config':'PROMPT'}"
                        .replace("PROMPT", prompt)));
    assertThat(r.detail()).doesNotContain("watercolour").doesNotContain("neighbour");
    assertThat(rejected(read("{'type':'" + prompt + "'}")).detail()).doesNotContain("watercolour");
    assertThat(rejected(read("{'prompt':" + prompt + "}")).detail()).doesNotContain("watercolour");
  }

  @Test
  void readsByteOrderMark() {
    accepted(new EventReader().read(utf8("\uFEFF" + smallRequest())));
  }
}
