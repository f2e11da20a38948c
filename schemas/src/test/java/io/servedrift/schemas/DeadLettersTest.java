package io.servedrift.schemas;

import static io.servedrift.schemas.Given.accepted;
import static io.servedrift.schemas.Given.contractRequest;
import static io.servedrift.schemas.Given.json;
import static io.servedrift.schemas.Given.read;
import static io.servedrift.schemas.Given.rejected;
import static io.servedrift.schemas.Given.utf8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.servedrift.schemas.avro.DeadLetter;
import io.servedrift.schemas.avro.RequestEvent;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadLettersTest {
  private static final Instant AT = Instant.parse("2026-11-30T10:00:00Z");

  private static DeadLetter of(byte[] payload, boolean raw) {
    return DeadLetters.of(payload, rejected(new EventReader().read(payload)), "t-1@5", AT, raw);
  }

  private static JsonNode content(String item) {
    DeadLetter letter = of(utf8(item.replace('\'', '"')), false);
    return StrictJson.trusted(letter.getContent());
  }

  @Test
  void saysWhatWhyAndWhere() {
    byte[] payload = utf8("{\"type\":\"tick\",\"at\":0}");
    DeadLetter letter = of(payload, false);
    assertThat(letter.getAt()).isEqualTo(AT);
    assertThat(letter.getReason()).isEqualTo("bad_time");
    assertThat(letter.getDetail()).startsWith("at=0: must be epoch milliseconds");
    assertThat(letter.getOrigin()).isEqualTo("t-1@5");
    assertThat(letter.getLength()).isEqualTo(payload.length);
    assertThat(letter.getSha256()).isEqualTo(CanonicalJson.sha256(payload));
    assertThat(letter.getContent()).isEqualTo("{\"type\":\"tick\",\"at\":0}");
    assertThat(EventCodec.decode(EventCodec.encode(letter))).isEqualTo(letter);
  }

  @Test
  void keepsEveryKnownField() {
    var request = contractRequest().put("latency_seconds", -1);
    assertThat(content(request.toString())).isEqualTo(request);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'prompt':'SECRET'",
        "'negative_prompt':'SECRET'",
        "'image':'SECRET'",
        "'b64_json':'SECRET'",
        "'text':'SECRET'",
        "'messages':[{'role':'user','content':'SECRET'}]",
        "'content':{'parts':['SECRET']}",
        "'token':'SECRET'",
        "'authorization':'SECRET'",
        "'apiKey':'SECRET'",
        "'userPrompt':'SECRET'",
        "'note':'SECRET'",
        "'colour':'SECRET two words'",
        "'colour':'SECRETSECRETSECRETSECRETSECRETSECRETSECRETSECRETSECRETSECRETSECRET'",
        "'deep':{'er':[{'caption':'SECRET'}]}",
        "'request_id':'SECRET two words'",
        "'workload':{'prompt':'SECRET'}",
        "'workload':{'prompt_hash':'SECRET two words'}",
        "'workload':['SECRET two words']",
        "'error':'SECRET two words'",
        "'scores':{'SECRET two words':'x'}",
        "'scorers':{'prompt':'SECRET'}",
        "'config':{'extra':{'hf_token':'SECRET'}}",
        "'x':'http://u:SECRET@h/'",
        "'list':['a',['SECRET two words']]"
      })
  void redactsWhatCanBeContentOrSecret(String member) {
    byte[] payload = utf8(("{'type':'request'," + member + "}").replace('\'', '"'));
    DeadLetter letter = of(payload, false);
    assertThat(letter.getContent()).isNotNull();
    assertThat(letter.getContent()).doesNotContain("SECRET");
    assertThat(letter.getDetail()).doesNotContain("SECRET");
  }

  @Test
  void keepsNumbersAndIdentifiers_underUnknownNames() {
    assertThat(
            content(
                "{'type':'nope','colour':'red','n':3,'prompt_length':17,'images':2,'messages':['a'],'o':{'k':true}}"))
        .isEqualTo(
            json(
                "{'type':'nope','colour':'red','n':3,'prompt_length':17,'images':2,'messages':'[redacted: array]','o':{'k':true}}"));
  }

  @Test
  void keepsOnlyLengthAndHash_whenInputCannotBeParsed() {
    for (String broken :
        new String[] {
          "{\"prompt\":\"a cat", "hello", "", "{\"a\":1,\"a\":2}", "{\"x\":" + "[".repeat(5000)
        }) {
      DeadLetter letter = of(utf8(broken), false);
      assertThat(letter.getContent()).as(broken).isNull();
      assertThat(letter.getLength()).isEqualTo(broken.length());
      assertThat(letter.getDetail()).doesNotContain("cat");
    }
  }

  @Test
  void keepsRedactedJsonOfAvro() {
    RequestEvent e = (RequestEvent) accepted(read(contractRequest())).event();
    e.setLatencySeconds(-1.0);
    e.setError("a long text that says too much");
    DeadLetter letter = of(EventCodec.encode(e), false);
    JsonNode kept = StrictJson.trusted(letter.getContent());
    assertThat(kept.get("request_id").textValue()).isEqualTo("r-1");
    assertThat(kept.get("latency_seconds").doubleValue()).isEqualTo(-1);
    assertThat(kept.get("error").textValue()).isEqualTo("[redacted: 30 characters]");
  }

  @Test
  void cutsAt64KiB() {
    StringBuilder many = new StringBuilder("{\"type\":\"nope\"");
    for (int i = 0; i < 20_000; i++) {
      many.append(",\"f").append(i).append("\":").append(i);
    }
    DeadLetter letter = of(utf8(many + "}"), false);
    assertThat(letter.getContent()).hasSize(64 * 1024).startsWith("{\"type\":\"nope\"");
  }

  @Test
  void keepsEverything_whenRawIsAskedFor() {
    assertThat(of(utf8("{\"prompt\":\"a cat"), true).getContent()).isEqualTo("{\"prompt\":\"a cat");
    assertThat(of(new byte[] {(byte) 0xC3, 1, (byte) 0xff}, true).getContent())
        .isEqualTo("base64:wwH/");
    String umlauts = "x" + "\u00e4".repeat(50_000);
    assertThat(of(utf8(umlauts), true).getContent())
        .isEqualTo("x" + "\u00e4".repeat(32 * 1024 - 1));
    byte[] noText = "\u00e4".repeat(80_000).getBytes(StandardCharsets.ISO_8859_1);
    assertThat(of(noText, true).getContent())
        .startsWith("base64:")
        .hasSize(7 + (64 * 1024 + 2) / 3 * 4);
  }
}
