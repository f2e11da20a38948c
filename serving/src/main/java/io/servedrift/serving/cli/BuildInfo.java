package io.servedrift.serving.cli;

/** What the build wrote into the jar. */
final class BuildInfo {

  private BuildInfo() {}

  /** The version of the product, or {@code development} when it does not run from its jar. */
  static String version() {
    String version = BuildInfo.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }
}
