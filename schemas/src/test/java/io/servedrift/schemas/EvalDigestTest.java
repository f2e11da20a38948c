package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import io.servedrift.schemas.avro.EvalResult;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EvalDigestTest {

  private static EvalResult eval() {
    EvalResult eval = new EvalResult();
    eval.setAt(Instant.parse("2026-11-30T10:00:00Z"));
    eval.setName("geneval");
    eval.setMetric("overall");
    eval.setValue(0.71);
    eval.setN(553L);
    eval.setConfigId("9f31c2ab7d10e544");
    eval.setBy("ana");
    return eval;
  }

  private static EvalResult sealed() {
    EvalResult eval = eval();
    EvalDigest.seal(eval);
    return eval;
  }

  /** The canonical text is short enough to be written by hand. */
  @Test
  void idIsTheDigestOfWhatWasMeasured() {
    String canonical =
        "{\"config_id\":\"9f31c2ab7d10e544\",\"metric\":\"overall\",\"n\":553,\"name\":\"geneval\","
            + "\"type\":\"eval\",\"value\":0.71}";
    assertThat(sealed().getEvalId())
        .isEqualTo("e-" + CanonicalJson.sha256(canonical).substring(0, 16));
  }

  @Test
  void idStays_whenTheSameIsRecordedLaterByAnother() {
    EvalResult again = eval();
    again.setAt(Instant.parse("2026-12-01T10:00:00Z"));
    again.setBy("bob");
    EvalDigest.seal(again);
    assertThat(again.getEvalId()).isEqualTo(sealed().getEvalId());
    assertThat(again.getDigest()).isNotEqualTo(sealed().getDigest());
  }

  @Test
  void idDiffers_whenAnythingThatWasMeasuredDiffers() {
    EvalResult other = eval();
    other.setSupersedes("e-1");
    EvalDigest.seal(other);
    assertThat(other.getEvalId()).isNotEqualTo(sealed().getEvalId());
  }

  @Test
  void seesAChange_alsoOfTheTimeAndOfWho() {
    EvalResult eval = sealed();
    assertThat(EvalDigest.standing(eval)).isEqualTo(EvalDigest.Standing.INTACT);
    eval.setBy("mallory");
    assertThat(EvalDigest.standing(eval)).isEqualTo(EvalDigest.Standing.ALTERED);
    EvalResult earlier = sealed();
    earlier.setAt(earlier.getAt().minusSeconds(1));
    assertThat(EvalDigest.standing(earlier)).isEqualTo(EvalDigest.Standing.ALTERED);
  }

  @Test
  void saysAbsent_whenAnotherProgramWroteTheRecord() {
    assertThat(EvalDigest.standing(eval())).isEqualTo(EvalDigest.Standing.ABSENT);
  }

  @Test
  void staysIntact_throughJsonAndAvro() {
    EvalResult eval = sealed();
    EvalResult fromAvro = (EvalResult) accepted(EventCodec.encode(eval));
    EvalResult fromJson =
        (EvalResult) accepted(EventJson.write(eval).getBytes(StandardCharsets.UTF_8));
    assertThat(EvalDigest.standing(fromAvro)).isEqualTo(EvalDigest.Standing.INTACT);
    assertThat(EvalDigest.standing(fromJson)).isEqualTo(EvalDigest.Standing.INTACT);
  }

  private static Object accepted(byte[] bytes) {
    return ((Reading.Accepted) new EventReader().read(bytes)).event();
  }
}
