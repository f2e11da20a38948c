package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WireFormatTest {
  @Test
  void tellsFormatByFirstBytes() {
    assertThat(of("{}")).isEqualTo(WireFormat.JSON);
    assertThat(of("\n\t {\"a\":1}")).isEqualTo(WireFormat.JSON);
    assertThat(of("\uFEFF{}")).isEqualTo(WireFormat.JSON);
    assertThat(of("[]")).isEqualTo(WireFormat.JSON);
    assertThat(of(0xC3, 0x01, 0)).isEqualTo(WireFormat.SINGLE_OBJECT);
    assertThat(of(0, 0, 0, 0, 7, 2)).isEqualTo(WireFormat.REGISTRY);
  }

  @Test
  void saysUnknown_whenNothingFits() {
    assertThat(WireFormat.detect(null)).isEqualTo(WireFormat.UNKNOWN);
    assertThat(of()).isEqualTo(WireFormat.UNKNOWN);
    assertThat(of("hello")).isEqualTo(WireFormat.UNKNOWN);
    assertThat(of("   ")).isEqualTo(WireFormat.UNKNOWN);
    assertThat(of(0xC3)).isEqualTo(WireFormat.UNKNOWN);
    assertThat(of(0xC3, 0x02)).isEqualTo(WireFormat.UNKNOWN);
    assertThat(of(0, 0, 0, 7)).isEqualTo(WireFormat.UNKNOWN);
  }

  private static WireFormat of(String text) {
    return WireFormat.detect(text.getBytes(StandardCharsets.UTF_8));
  }

  private static WireFormat of(int... bytes) {
    byte[] b = new byte[bytes.length];
    for (int i = 0; i < b.length; i++) {
      b[i] = (byte) bytes[i];
    }
    return WireFormat.detect(b);
  }
}
