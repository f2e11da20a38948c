package io.servedrift.ingest.http;

import java.io.IOException;
import java.io.InputStream;
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
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Loads certificate and key into a key store; error texts name files, never contents. */
final class KeyStores {

  private static final Pattern PKCS8 =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([\\s\\w+/=]+)-----END PRIVATE KEY-----");

  /** A key store and the password of its key. */
  record Loaded(KeyStore keyStore, String password) {}

  private KeyStores() {}

  static Loaded load(TlsSettings settings) {
    try {
      if (settings instanceof TlsSettings.Pkcs12 pkcs12) {
        return pkcs12(pkcs12);
      }
      return pem((TlsSettings.Pem) settings);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalArgumentException("TLS " + settings + " cannot be loaded: " + e, e);
    }
  }

  private static Loaded pkcs12(TlsSettings.Pkcs12 settings)
      throws IOException, GeneralSecurityException {
    String password = Files.readString(settings.passwordFile()).strip();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(settings.keyStore())) {
      store.load(in, password.toCharArray());
    }
    return new Loaded(store, password);
  }

  private static Loaded pem(TlsSettings.Pem settings) throws IOException, GeneralSecurityException {
    Certificate[] chain;
    try (InputStream in = Files.newInputStream(settings.certificates())) {
      chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(in)
              .toArray(Certificate[]::new);
    }
    if (chain.length == 0) {
      throw new GeneralSecurityException(settings.certificates() + " holds no certificate");
    }
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry("server", privateKey(settings.privateKey()), new char[0], chain);
    return new Loaded(store, "");
  }

  private static PrivateKey privateKey(Path file) throws IOException, GeneralSecurityException {
    Matcher pem = PKCS8.matcher(Files.readString(file));
    if (!pem.find()) {
      throw new GeneralSecurityException(
          file + " holds no BEGIN PRIVATE KEY: must be an unencrypted PKCS #8 key in PEM");
    }
    PKCS8EncodedKeySpec spec =
        new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(pem.group(1)));
    // The encoding names its algorithm, but the JDK offers no factory that reads the name.
    @Nullable GeneralSecurityException last = null;
    for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException anotherAlgorithm) {
        last = anotherAlgorithm;
      }
    }
    throw new GeneralSecurityException(file + ": must be an RSA, EC or Ed25519 key", last);
  }
}
