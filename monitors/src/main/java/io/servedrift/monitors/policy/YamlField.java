package io.servedrift.monitors.policy;

/**
 * A field of a YAML text: its name there, how its value is read, and what holds without it.
 *
 * @param <T> type of the value
 */
public interface YamlField<T> {
  /** The name in YAML. */
  String key();

  /** How it is read and written. */
  ValueType<T> type();

  /** The value that holds without the field. */
  T defaultValue();
}
