package io.servedrift.schemas;

import static io.servedrift.schemas.Given.accepted;
import static io.servedrift.schemas.Given.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.apache.avro.specific.SpecificRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RecordRoutingTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'type':'request','request_id':'r','deployment':'d','status':'error','finished_at':T} | requests | r",
        "{'type':'score','request_id':'r','deployment':'d','name':'clip','value':1,'scored_at':T} | scores | r",
        "{'type':'serving_event','event_id':'e','at':T,'deployment':'d','kind':'deploy'} | serving-events | d",
        "{'type':'decision','decision_id':'x','at':T,'deployment':'d','kind':'accept'} | serving-events | d",
        "{'type':'heartbeat','at':T,'deployment':'d','node':'gpu-0'} | requests | gpu-0",
        "{'type':'review','at':T,'deployment':'d','verdict':'fine'} | reviews | d",
        "{'type':'eval','eval_id':'e','at':T,'deployment':'d','name':'n','metric':'m','value':1} | evals | d",
        "{'type':'eval','eval_id':'e','at':T,'name':'n','metric':'m','value':1} | evals | e",
        "{'type':'config','at':T,'model':{'name':'flux-dev','revision':'r1','weights_digest':'sha256:ab'}} | configs | unknown/8651b913d7558286"
      })
  void routesByTypeAndKey(String item, String topic, String key) {
    SpecificRecord e = accepted(read(item.replace("T", "'2026-11-30T10:00:00Z'"))).event();
    assertThat(RecordRouting.topicFor(e, new Topics("p"))).isEqualTo("p-" + topic + "-v1");
    assertThat(RecordRouting.keyFor(e)).isEqualTo(key);
    assertThat(EventTimes.of(e)).isEqualTo(Instant.parse("2026-11-30T10:00:00Z"));
  }

  @Test
  void refusesTicks_whoseWritersNameThePartition() {
    SpecificRecord tick = accepted(read("{'type':'tick','at':'2026-11-30T10:00:00Z'}")).event();
    assertThatThrownBy(() -> RecordRouting.topicFor(tick, new Topics("p")))
        .hasMessage("tick: has no key, its writer must name the partition");
    assertThatThrownBy(() -> RecordRouting.keyFor(tick))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void coversEveryRecord() {
    for (EventType type : EventType.values()) {
      SpecificRecord r = Samples.full(type);
      assertThat(EventTimes.of(r)).isNotNull();
      if (type != EventType.TICK && type != EventType.WATERMARK) {
        assertThat(RecordRouting.keyFor(r)).isNotEmpty();
        assertThat(RecordRouting.topicFor(r, new Topics("p"))).startsWith("p-").endsWith("-v1");
      }
    }
  }
}
