package io.servedrift.serving.cli;

import io.servedrift.ingest.prompt.PromptHashKey;
import io.servedrift.schemas.PromptHash;
import io.servedrift.serving.engine.EngineSettings;
import io.servedrift.serving.engine.Precision;
import io.servedrift.serving.engine.SamplerKind;
import io.servedrift.serving.fault.Fault;
import io.servedrift.serving.node.NodeSettings;
import io.servedrift.serving.node.http.ApiLimits;
import io.servedrift.serving.scheduler.BatchingMode;
import io.servedrift.serving.scheduler.SchedulerLimits;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@code serve} as its parts take them.
 *
 * @param engine how the model runs
 * @param limits of the scheduler
 * @param faults on from the start
 * @param node who this is
 * @param publish how events are published
 * @param hash hashes prompts
 * @param scorer scorer directory; {@code null} when nothing is scored
 * @param scoreShare share of the requests that is scored
 * @param listen where it listens, and to whom
 * @param api what a call may ask for
 */
record ServeOptions(
    EngineSettings engine,
    SchedulerLimits limits,
    Set<Fault> faults,
    NodeSettings node,
    PublishOptions publish,
    PromptHash hash,
    @Nullable Path scorer,
    double scoreShare,
    ListenOptions listen,
    ApiLimits api) {

  private static final Path NOWHERE = Path.of("");
  private static final Pattern NAME = Pattern.compile("[^\\p{Cntrl}]{1,128}");
  static final Pattern DEVICE = Pattern.compile("auto|cpu|gpu|gpu:[0-9]{1,2}");

  /**
   * Reads every setting.
   *
   * @throws SettingsException with every problem
   */
  static ServeOptions of(SettingReader read) {
    Path model = read.needed(ServeSettings.MODEL, read.path(ServeSettings.MODEL), NOWHERE);
    String servers =
        read.needed(
            ServeSettings.BOOTSTRAP_SERVERS,
            read.hostPorts(ServeSettings.BOOTSTRAP_SERVERS),
            "none:1");
    ServeOptions options =
        new ServeOptions(
            engine(read, model),
            limits(read),
            faults(read),
            node(read),
            PublishOptions.of(read, servers),
            hash(read),
            read.path(ServeSettings.SCORER).orElse(null),
            read.number(ServeSettings.SCORE_SHARE, 0, 1),
            ListenOptions.of(read, ServeSettings.PORT),
            api(read));
    if (options.api.maxImages() > options.limits.maxWaiting()) {
      read.problem("max-images must not be above max-waiting: images of a call wait together");
    }
    read.requireNoProblems();
    return options;
  }

  private static EngineSettings engine(SettingReader read, Path model) {
    String precision =
        read.word(ServeSettings.PRECISION, words(Precision.values(), Precision::word));
    String sampler =
        read.text(ServeSettings.SAMPLER).isEmpty()
            ? null
            : read.word(ServeSettings.SAMPLER, words(SamplerKind.values(), SamplerKind::word));
    return new EngineSettings(
        model,
        ofWord(Precision.values(), Precision::word, precision),
        read.matching(ServeSettings.DEVICE, DEVICE, "auto, cpu, gpu or gpu:N"),
        read.integer(ServeSettings.THREADS, 1, 1024),
        read.size(ServeSettings.CACHE_SIZE, "0B", "64GiB"),
        read.number(ServeSettings.STEP_REUSE_THRESHOLD, 0, 0.99),
        sampler == null ? null : ofWord(SamplerKind.values(), SamplerKind::word, sampler));
  }

  private static <T> String[] words(T[] values, Function<T, String> word) {
    return Arrays.stream(values).map(word).toArray(String[]::new);
  }

  private static <T> T ofWord(T[] values, Function<T, String> word, String wanted) {
    return Arrays.stream(values)
        .filter(value -> word.apply(value).equals(wanted))
        .findFirst()
        .orElseThrow();
  }

  private static SchedulerLimits limits(SettingReader read) {
    return new SchedulerLimits(
        BatchingMode.ofWord(read.word(ServeSettings.MODE, "continuous", "single")),
        read.integer(ServeSettings.MAX_BATCH_SIZE, 1, 64),
        read.integer(ServeSettings.MAX_RUNNING, 1, 1024),
        read.integer(ServeSettings.MAX_WAITING, 1, 100_000),
        read.integer(ServeSettings.MAX_PREEMPTIONS, 0, 100));
  }

  private static Set<Fault> faults(SettingReader read) {
    Set<Fault> faults = EnumSet.noneOf(Fault.class);
    read.list(ServeSettings.FAULTS)
        .forEach(
            word ->
                read.attempt(ServeSettings.FAULTS, () -> Fault.ofWord(word))
                    .ifPresent(faults::add));
    return faults;
  }

  private static NodeSettings node(SettingReader read) {
    return new NodeSettings(
        BuildInfo.version(),
        read.matching(ServeSettings.DEPLOYMENT, NAME, "1 to 128 printable characters"),
        read.matching(ServeSettings.NODE, NAME, "1 to 128 printable characters"),
        read.duration(ServeSettings.HEARTBEAT, "1s", "5m"),
        read.duration(ServeSettings.DRAIN, "0s", "10m"));
  }

  private static PromptHash hash(SettingReader read) {
    return read.path(ServeSettings.PROMPT_HASH_KEY_FILE)
        .flatMap(
            file ->
                read.attempt(
                    ServeSettings.PROMPT_HASH_KEY_FILE, () -> PromptHashKey.fromFile(file)))
        .orElseGet(PromptHashKey::ofThisProcess);
  }

  private static ApiLimits api(SettingReader read) {
    return new ApiLimits(
        (int) read.size(ServeSettings.MAX_REQUEST_BYTES, "1KiB", "16MiB"),
        read.integer(ServeSettings.MAX_PROMPT_CHARACTERS, 1, 1_000_000),
        read.integer(ServeSettings.MAX_IMAGES, 1, 16),
        read.integer(ServeSettings.MAX_STEPS, 1, 1000),
        read.duration(ServeSettings.REQUEST_TIMEOUT, "100ms", "1h"));
  }
}
