package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.InvalidAlgorithmParameterException;
import java.security.InvalidKeyException;
import java.security.Key;
import java.security.Security;
import java.security.spec.AlgorithmParameterSpec;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.MacSpi;
import org.junit.jupiter.api.Test;

class PromptHashTest {

  /** RFC 4231, test case 6. */
  @Test
  void isHmacSha256_whenKeyIsThatOfTheStandard() {
    byte[] key = new byte[131];
    Arrays.fill(key, (byte) 0xaa);

    assertThat(PromptHash.of(key).of("Test Using Larger Than Block-Size Key - Hash Key First"))
        .isEqualTo("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  }

  /** As those of hardware or FIPS modules are. */
  private static final class NotCopyable extends MacSpi {
    private final Mac inner;

    NotCopyable() throws GeneralSecurityException {
      inner = Mac.getInstance("HmacSHA256");
    }

    @Override
    protected int engineGetMacLength() {
      return inner.getMacLength();
    }

    @Override
    protected void engineInit(Key key, AlgorithmParameterSpec params)
        throws InvalidKeyException, InvalidAlgorithmParameterException {
      inner.init(key, params);
    }

    @Override
    protected void engineUpdate(byte input) {
      inner.update(input);
    }

    @Override
    protected void engineUpdate(byte[] input, int offset, int length) {
      inner.update(input, offset, length);
    }

    @Override
    protected byte[] engineDoFinal() {
      return inner.doFinal();
    }

    @Override
    protected void engineReset() {
      inner.reset();
    }
  }

  @Test
  void isTheSame_whenTheAlgorithmCannotBeCopied() {
    byte[] key = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    PromptHash hash =
        new PromptHash(
            key, () -> new Mac(new NotCopyable(), Security.getProvider("SunJCE"), "HmacSHA256") {});

    String expected = PromptHash.of(key).of("a red circle");
    assertThat(hash.of("a red circle")).isEqualTo(expected);
    assertThat(hash.of("a red circle")).isEqualTo(expected);
  }

  @Test
  void isTheSame_whenTheKeyEndsInALineBreak() {
    byte[] key = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    String plain = PromptHash.of(key).of("a red circle");
    byte[] longer = Arrays.copyOf(key, key.length + 1);
    longer[key.length] = '\n';

    assertThat(PromptHash.of(longer).of("a red circle")).isEqualTo(plain);
  }

  @Test
  void refusesShortKey_withoutSayingIt() {
    byte[] secret = "too-short-secret ".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> PromptHash.of(secret))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("16 bytes: must be a key of at least 32");
  }
}
