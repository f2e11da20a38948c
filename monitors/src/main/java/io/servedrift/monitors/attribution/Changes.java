package io.servedrift.monitors.attribution;

/**
 * What is recorded to have changed between reference and window, at the onset.
 *
 * @param model the model identity
 * @param configuration the configuration identity
 * @param scorer the scorer that gave the values
 */
public record Changes(boolean model, boolean configuration, boolean scorer) {
  /** Nothing recorded changed. */
  public static final Changes NONE = new Changes(false, false, false);

  /** Whether weights are all that is known to be other ones: what else came may be the cause. */
  public boolean onlyModel() {
    return model && !configuration;
  }
}
