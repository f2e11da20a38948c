package io.servedrift.schemas;

import static io.servedrift.schemas.Given.accepted;
import static io.servedrift.schemas.Given.json;
import static io.servedrift.schemas.Given.read;
import static io.servedrift.schemas.Given.rejected;
import static io.servedrift.schemas.Given.smallRequest;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.servedrift.schemas.avro.RequestEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EventRulesTest {
  private static ObjectNode request(String arrived, String finished, double latency) {
    return smallRequest()
        .put("arrived_at", arrived)
        .put("finished_at", finished)
        .put("latency_seconds", latency);
  }

  @ParameterizedTest
  @CsvSource({
    // finished second.fraction, latency, unit
    "10:00:03.410, 3410,     milliseconds",
    "10:00:03.410, 4000,     milliseconds",
    "10:00:00.050, 50000,    microseconds",
    "10:56:50.000, 3.41,     thousands of seconds"
  })
  void namesUnit_whenLatencyIsOffByAThousand(String finished, double latency, String unit) {
    ObjectNode request = request("2026-11-30T10:00:00Z", "2026-11-30T" + finished + "Z", latency);
    Reading.Rejected r = rejected(read(request));
    assertThat(r.reason()).isEqualTo("wrong_unit");
    assertThat(r.detail()).contains("latency_seconds=").contains("this looks like " + unit);
  }

  @ParameterizedTest
  @CsvSource({
    "10:00:03.410, 3.41", // right
    "10:00:03.410, 30", // a clock that was set in between
    "10:00:03.410, 0.1",
    "10:00:00.000, 3.41", // rounded to whole seconds
    "10:00:01.000, 0.001",
    "10:00:00.002, 1.9", // below what rounding explains
    "10:00:03.410, 0"
  })
  void acceptsSmallerContradictions(String finished, double latency) {
    accepted(read(request("2026-11-30T10:00:00Z", "2026-11-30T" + finished + "Z", latency)));
  }

  @Test
  void acceptsEndBeforeStart_withinRoundingToMilliseconds() {
    accepted(read(request("2026-11-30T10:00:00.000900Z", "2026-11-30T10:00:00.000Z", 0)));
    assertThat(
            rejected(read(request("2026-11-30T10:00:00.002Z", "2026-11-30T10:00:00.000Z", 0)))
                .reason())
        .isEqualTo("inconsistent_times");
  }

  @Test
  void namesParts_thatAreFarLongerThanTheWhole() {
    ObjectNode request = smallRequest().put("latency_seconds", 3.41);
    request
        .put("inference_seconds", 3290)
        .put("queue_seconds", 120)
        .put("time_to_first_token_seconds", 3_000_000 / 50.0);
    request.withObject("stage_seconds").put("denoise", 2950).put("decode", 0.3);
    Reading.Rejected r = rejected(read(request));
    assertThat(r.reason()).isEqualTo("wrong_unit");
    assertThat(r.problems())
        .extracting(Problem::path)
        .containsExactly(
            "inference_seconds", "time_to_first_token_seconds", "stage_seconds.denoise");
    assertThat(r.problems().get(0).allowed())
        .isEqualTo(
            "seconds, a part of the 3.41 s that the request took: this looks like milliseconds");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      nullValues = "-",
      value = {
        "{'hit':true}                                        | true  | 0",
        "{'hit':false}                                       | false | 0",
        "{}                                                  | -     | 0",
        "{'conditioning':'hit'}                              | true  | 0",
        "{'conditioning':'partial','negative':'miss'}        | true  | 0",
        "{'conditioning':'miss'}                             | false | 0",
        "{'conditioning':'bypass'}                           | -     | 0",
        "{'hit':true,'conditioning':'bypass'}                | true  | 0",
        "{'hit':true,'conditioning':'miss'}                  | false | 1",
        "{'hit':false,'negative':'hit'}                      | true  | 1",
        "{'hit':false,'prefix':{'device_tokens':0,'host_tokens':5}} | true | 1",
        "{'hit':true,'prefix':{'device_tokens':0}}           | false | 1",
        "{'hit':false,'denoise':{'cached_steps':9}}          | false | 0",
        "{'hit':true,'denoise':{'executed_steps':9}}         | true  | 0",
        "{'hit':true,'evictions':2,'entry_age_seconds':3}    | true  | 0"
      })
  void settlesCacheHit(String cache, Boolean hit, int conflicts) {
    ObjectNode request = smallRequest();
    request.set("cache", json(cache));

    Reading.Accepted fromJson = accepted(read(request));
    RequestEvent e = (RequestEvent) fromJson.event();
    assertThat(CacheHit.of(e.getCache())).isEqualTo(hit);
    assertThat(fromJson.cacheConflicts()).isEqualTo(conflicts);
    if (conflicts > 0) {
      assertThat(e.getCache().getHit()).isEqualTo(hit);
    }
  }

  @Test
  void leavesHitUnknown_whenNothingIsSaid() {
    assertThat(CacheHit.of(null)).isNull();
  }

  @Test
  void rejectsIdsThatNameEverything_andNamesWithControlCharacters() {
    assertThat(((Reading.Rejected) read(smallRequest().put("config_id", "*"))).detail())
        .contains("config_id");
    assertThat(((Reading.Rejected) read(smallRequest().put("model_id", "*"))).detail())
        .contains("model_id");
    assertThat(((Reading.Rejected) read(smallRequest().put("deployment", "a\nb"))).detail())
        .contains("deployment")
        .doesNotContain("a\nb");
  }
}
