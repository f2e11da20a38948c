package io.servedrift.monitors.ops;

/**
 * One component that must work before this process may be called ready. Must be thread-safe and
 * answer quickly.
 */
public interface HealthCheck {
  /** Name of the component in the answer of {@code /-/ready}, e.g. {@code streams}. */
  String name();

  /** The component's state now; an exception counts as not ready. */
  CheckResult check();

  /** A check from a name and a function. */
  static HealthCheck of(String name, java.util.function.Supplier<CheckResult> check) {
    return new HealthCheck() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public CheckResult check() {
        return check.get();
      }
    };
  }
}
