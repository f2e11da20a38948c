package io.servedrift.ingest.http;

import java.nio.file.Path;

/** Where the server's certificate and private key are. */
public sealed interface TlsSettings {

  /**
   * A PKCS #12 key store.
   *
   * @param keyStore the key store
   * @param passwordFile text file with its password, which is also that of the key
   */
  record Pkcs12(Path keyStore, Path passwordFile) implements TlsSettings {}

  /**
   * PEM files.
   *
   * @param certificates the certificate and its chain
   * @param privateKey the unencrypted PKCS #8 private key ({@code BEGIN PRIVATE KEY})
   */
  record Pem(Path certificates, Path privateKey) implements TlsSettings {}
}
