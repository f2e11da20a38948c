package io.servedrift.schemas;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SensitiveTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "token",
        "hf_token",
        "HF_TOKEN",
        "authToken",
        "api-key",
        "api_key",
        "apiKey",
        "APIKEY",
        "password",
        "ssl_keyfile_password",
        "clientSecret",
        "authorization",
        "Authorization",
        "aws_secret_access_key",
        "private_key",
        "credentials",
        "session_tokens",
        "cookie"
      })
  void tellsSecretNames(String name) {
    assertThat(Sensitive.isSecretName(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "max_tokens",
        "token_capacity",
        "tokenizer",
        "prompt_tokens",
        "eos_token",
        "key",
        "cache_key",
        "keyboard",
        "chunked_prefill_size",
        "device_tokens",
        "seed_policy",
        "max_batch_size",
        "secretary",
        ""
      })
  void leavesOtherNames(String name) {
    assertThat(Sensitive.isSecretName(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "port",
        "nccl_port",
        "host",
        "hostname",
        "dist_init_addr",
        "pid",
        "log_path",
        "log_file",
        "logDir",
        "random_seed",
        "seed",
        "memory_usage",
        "free_memory",
        "gpu_mem_used",
        "avail_mem",
        "last_gen_throughput",
        "tokens_per_second",
        "faults",
        "fault_injection",
        "uptime",
        "start_time",
        "started_at"
      })
  void tellsVolatileNames(String name) {
    assertThat(VolatileNames.contains(name)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mem_fraction_static",
        "hicache_host_size",
        "log_level",
        "seed_policy",
        "supports_import",
        "export",
        "capacity",
        "delay_ms",
        "max_running",
        "memory_pool",
        "default",
        "steps",
        "schedule_policy",
        "time_limit"
      })
  void leavesStableNames(String name) {
    assertThat(VolatileNames.contains(name)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Bearer abc",
        "Basic dXNlcjpwYXNz",
        "hf_abcdefghijklmnop",
        "sk-abcdefghijklmnop",
        "ghp_abcdefghijklmnopqr",
        "AKIAABCDEFGHIJKLMNOP",
        "-----BEGIN RSA PRIVATE KEY",
        "https://user:pw@host/x",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"
      })
  void tellsSecretsByLook(String value) {
    assertThat(Sensitive.isSecretValue(value)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bf16",
        "clip-vit-l-14@ab12",
        "sha256:0123",
        "http://host:80/x",
        "basic",
        "r-1",
        "euler"
      })
  void leavesOtherValues(String value) {
    assertThat(Sensitive.isSecretValue(value)).isFalse();
  }
}
