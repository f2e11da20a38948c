package io.servedrift.serving.node;

/** Another image of the same call failed, so that this one would be made for nobody. */
public final class SiblingFailedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  SiblingFailedException() {
    super("another image of the call failed");
  }
}
