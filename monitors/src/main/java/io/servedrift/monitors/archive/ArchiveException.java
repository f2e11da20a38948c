package io.servedrift.monitors.archive;

import org.jspecify.annotations.Nullable;

/** An archive that cannot be written or read as asked; the message is for the user. */
public final class ArchiveException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final Kind kind;

  /** Whose fault it is, for the exit code. */
  public enum Kind {
    /** What was asked does not fit the folder. */
    USAGE,
    /** A file is missing, damaged or unreadable. */
    DAMAGED,
    /** What was asked for is not, or no longer, there. */
    NO_DATA
  }

  /** For a problem that has no cause of its own. */
  public ArchiveException(Kind kind, String message) {
    this(kind, message, null);
  }

  /** For a problem with its cause. */
  public ArchiveException(Kind kind, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** Whose fault it is. */
  public Kind kind() {
    return kind;
  }
}
