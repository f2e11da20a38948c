package io.servedrift.monitors.cli;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS of a client from PEM files. Stateless. */
final class ClientTls {
  private static final String[] ALGORITHMS = {"RSA", "EC", "Ed25519"};
  private static final char[] IN_MEMORY = new char[0];

  private ClientTls() {}

  /**
   * Trusts the given certificates, and shows one of its own.
   *
   * @param authorities certificates to trust, null for those of the Java platform
   * @param certificate certificate to show with its chain, null for none
   * @param key its private key
   * @throws IllegalArgumentException when a file cannot be read or holds something else; the text
   *     holds nothing of a key
   */
  static SSLContext of(@Nullable Path authorities, @Nullable Path certificate, @Nullable Path key) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(
          certificate == null || key == null ? null : shown(certificate, key),
          authorities == null ? null : trusted(authorities),
          null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException("TLS for Alertmanager cannot be set up: " + e, e);
    }
  }

  private static TrustManager[] trusted(Path file) throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    int n = 0;
    for (Certificate one : certificates(file)) {
      store.setCertificateEntry("ca-" + n++, one);
    }
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory.getTrustManagers();
  }

  private static KeyManager[] shown(Path certificate, Path key)
      throws GeneralSecurityException, IOException {
    KeyStore store = empty();
    store.setKeyEntry(
        "client",
        privateKey(key),
        IN_MEMORY,
        certificates(certificate).toArray(Certificate[]::new));
    KeyManagerFactory factory =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    factory.init(store, IN_MEMORY);
    return factory.getKeyManagers();
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, IN_MEMORY);
    return store;
  }

  private static Collection<? extends Certificate> certificates(Path file)
      throws GeneralSecurityException {
    Collection<? extends Certificate> found =
        CertificateFactory.getInstance("X.509")
            .generateCertificates(new ByteArrayInputStream(read(file)));
    if (found.isEmpty()) {
      throw new IllegalArgumentException(file + ": must hold a PEM certificate");
    }
    return found;
  }

  private static PrivateKey privateKey(Path file) throws GeneralSecurityException {
    String text = new String(read(file), StandardCharsets.US_ASCII);
    String begin = "-----BEGIN PRIVATE KEY-----";
    int from = text.indexOf(begin);
    int to = text.indexOf("-----END PRIVATE KEY-----");
    if (from < 0 || to < from) {
      throw new IllegalArgumentException(
          file + ": must hold an unencrypted PKCS #8 private key (" + begin + ")");
    }
    byte[] key = Base64.getMimeDecoder().decode(text.substring(from + begin.length(), to));
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(key));
      } catch (InvalidKeySpecException ignored) {
        // Of another algorithm.
      }
    }
    throw new IllegalArgumentException(
        file + ": must be a key of " + String.join(", ", ALGORITHMS));
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + ": must be a readable file", e);
    }
  }
}
