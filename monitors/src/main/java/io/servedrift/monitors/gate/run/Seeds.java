package io.servedrift.monitors.gate.run;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;

/** Seeds that follow from one seed and a name, so that each part draws for itself. Stateless. */
final class Seeds {
  private Seeds() {}

  static long of(long seed, String name) {
    MessageDigest digest = Digests.sha256();
    digest.update(ByteBuffer.allocate(Long.BYTES).putLong(seed).flip());
    digest.update(name.getBytes(StandardCharsets.UTF_8));
    return ByteBuffer.wrap(digest.digest()).getLong();
  }
}
