package io.servedrift.serving.cli;

import java.util.List;

/** Every setting of {@code serve}, in the order of the documentation. */
final class ServeSettings {

  static final Setting MODEL =
      new Setting("model", "DIR", null, "Model directory with its pipeline.json. Needed.");
  static final Setting PRECISION =
      new Setting("precision", "fp32|bf16|int8", "fp32", "Arithmetic of the model.");
  static final Setting SAMPLER =
      new Setting(
          "sampler", "NAME", null, "euler, ddim or dpmpp_2m; the model's own if not given.");
  static final Setting DEVICE =
      new Setting(
          "device", "auto|cpu|gpu|gpu:N", "auto", "What computes; auto takes a GPU if any.");
  static final Setting THREADS =
      new Setting("threads", "NUMBER", "1", "Threads of one operation on the CPU.");
  static final Setting CACHE_SIZE =
      new Setting(
          "cache-size", "SIZE", "64MiB", "Capacity of the conditioning cache; 0B switches it off.");
  static final Setting STEP_REUSE_THRESHOLD =
      new Setting(
          "step-reuse-threshold",
          "NUMBER",
          "0",
          "Relative change of the latent below which a denoiser call is skipped; 0 never skips.");

  static final Setting MODE =
      new Setting("mode", "single|continuous", "continuous", "How requests share the denoiser.");
  static final Setting MAX_BATCH_SIZE =
      new Setting("max-batch-size", "NUMBER", "8", "Most requests in one denoising step.");
  static final Setting MAX_RUNNING =
      new Setting("max-running", "NUMBER", "16", "Most requests begun and not finished.");
  static final Setting MAX_WAITING =
      new Setting("max-waiting", "NUMBER", "64", "Most requests that wait; more are refused.");
  static final Setting MAX_PREEMPTIONS =
      new Setting(
          "max-preemptions", "NUMBER", "2", "How often more urgent ones may displace a request.");

  static final Setting DEPLOYMENT =
      new Setting("deployment", "NAME", "image-gen", "Name of the service in every event.");
  static final Setting NODE =
      new Setting("node", "NAME", "node-0", "Name of this process in the service.");
  static final Setting BOOTSTRAP_SERVERS =
      new Setting(
          "bootstrap-servers",
          "HOST:PORT,...",
          null,
          "The Kafka cluster that gets the events. Needed; it need not be up.");
  static final Setting TOPIC_PREFIX =
      new Setting("topic-prefix", "PREFIX", "servedrift", "First part of every topic name.");
  static final Setting EVENT_BUFFER =
      new Setting(
          "event-buffer", "SIZE", "32MiB", "Memory for events that are not acknowledged yet.");
  static final Setting PROMPT_HASH_KEY_FILE =
      new Setting(
          "prompt-hash-key-file",
          "FILE",
          null,
          "Key of the deployment, 32 bytes or more, under which prompts are hashed; without it a"
              + " key of this process.");
  static final Setting HEARTBEAT =
      new Setting("heartbeat", "DURATION", "10s", "Time between two heartbeats.");

  static final Setting SCORER =
      new Setting("scorer", "DIR", null, "Scorer directory; images are scored when given.");
  static final Setting SCORE_SHARE =
      new Setting("score-share", "NUMBER", "1", "Share of the requests that is scored, 0 to 1.");
  static final Setting FAULTS =
      new Setting("faults", "NAME,...", null, "Faults on purpose, for demonstrations and tests.");

  static final Setting HOST = new Setting("host", "HOST", "127.0.0.1", "Address to listen on.");
  static final Setting PORT =
      new Setting("port", "PORT", "8000", "Port to listen on; 0 takes a free one.");
  static final Setting ALLOWED_HOSTS =
      new Setting(
          "allowed-hosts", "NAME,...", null, "Further host names under which it may be asked.");
  static final Setting TOKEN_FILE =
      new Setting(
          "token-file", "FILE", null, "Bearer token that everything but health and metrics asks.");
  static final Setting CERTIFICATE_FILE =
      new Setting("certificate-file", "FILE", null, "PEM certificate for HTTPS.");
  static final Setting KEY_FILE =
      new Setting("key-file", "FILE", null, "PEM private key for HTTPS.");

  static final Setting MAX_REQUEST_BYTES =
      new Setting("max-request-bytes", "SIZE", "64KiB", "Largest body of a call.");
  static final Setting MAX_PROMPT_CHARACTERS =
      new Setting("max-prompt-characters", "NUMBER", "4000", "Longest prompt.");
  static final Setting MAX_IMAGES =
      new Setting("max-images", "NUMBER", "4", "Most images of one call.");
  static final Setting MAX_STEPS =
      new Setting("max-steps", "NUMBER", "200", "Most denoising steps of one image.");
  static final Setting REQUEST_TIMEOUT =
      new Setting("request-timeout", "DURATION", "60s", "Longest time that a call may take.");
  static final Setting DRAIN =
      new Setting("drain", "DURATION", "20s", "How long the end waits for what runs.");
  static final Setting LOG_LEVEL =
      new Setting("log-level", "error|warn|info|debug", "info", "How much is logged.");

  private static final List<Setting> ALL =
      List.of(
          MODEL,
          PRECISION,
          SAMPLER,
          DEVICE,
          THREADS,
          CACHE_SIZE,
          STEP_REUSE_THRESHOLD,
          MODE,
          MAX_BATCH_SIZE,
          MAX_RUNNING,
          MAX_WAITING,
          MAX_PREEMPTIONS,
          DEPLOYMENT,
          NODE,
          BOOTSTRAP_SERVERS,
          TOPIC_PREFIX,
          EVENT_BUFFER,
          PROMPT_HASH_KEY_FILE,
          HEARTBEAT,
          SCORER,
          SCORE_SHARE,
          FAULTS,
          HOST,
          PORT,
          ALLOWED_HOSTS,
          TOKEN_FILE,
          CERTIFICATE_FILE,
          KEY_FILE,
          MAX_REQUEST_BYTES,
          MAX_PROMPT_CHARACTERS,
          MAX_IMAGES,
          MAX_STEPS,
          REQUEST_TIMEOUT,
          DRAIN,
          LOG_LEVEL);

  private ServeSettings() {}

  /** Every setting, in the order of the documentation. */
  static List<Setting> all() {
    return ALL;
  }
}
