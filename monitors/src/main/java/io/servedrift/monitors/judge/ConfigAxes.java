package io.servedrift.monitors.judge;

import io.servedrift.schemas.ConfigDiff;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import io.servedrift.schemas.avro.ConfigRecord;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What configurations consist of, as far as somebody has said so. For the text of findings only: an
 * id is made of the content and never means anything else, but it may be said late, so a finding
 * that opened before lists no axes.
 */
public interface ConfigAxes {
  /** Knows nothing. */
  ConfigAxes UNKNOWN = (from, to) -> List.of();

  /**
   * Axes in which two configurations differ, for example {@code batching.max_batch_size: 1 -> 8};
   * empty when one of them is not known.
   */
  List<String> changed(String fromConfigId, String toConfigId);

  /**
   * From registered configurations.
   *
   * @param known the record of an id, null while there is none; asked from the thread that judges
   */
  static ConfigAxes of(Function<String, @Nullable ConfigRecord> known) {
    return (fromId, toId) -> {
      ConfigRecord from = known.apply(fromId);
      ConfigRecord to = known.apply(toId);
      String before = from == null ? null : from.getCounted();
      String after = to == null ? null : to.getCounted();
      if (before == null || after == null) {
        return List.of();
      }
      return ConfigDiff.between(
              new Fingerprint(fromId, before, "{}", List.of()),
              new Fingerprint(toId, after, "{}", List.of()))
          .changes()
          .stream()
          .limit(20)
          .map(change -> change.text().strip())
          .toList();
    };
  }
}
