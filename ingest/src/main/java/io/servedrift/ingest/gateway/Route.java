package io.servedrift.ingest.gateway;

import org.jspecify.annotations.Nullable;

/** The requests that are looked at; all others pass as they are. */
enum Route {
  IMAGES("image"),
  VIDEOS("video"),
  CHAT("text"),
  COMPLETIONS("text"),
  /** SGLang's own endpoint. */
  GENERATE("text"),
  /** Asks how a queued video is: not measured itself, but it tells the end of one that is. */
  VIDEO_POLL("video");

  private static final String VIDEO = "/v1/videos/";

  private final String modality;

  Route(String modality) {
    this.modality = modality;
  }

  /** What is made: {@code image}, {@code video} or {@code text}. */
  String modality() {
    return modality;
  }

  /** Whether the request itself is measured. */
  boolean isMeasured() {
    return this != VIDEO_POLL;
  }

  /** The route of a request, null when nothing is to be learnt from it. */
  static @Nullable Route of(String method, @Nullable String path) {
    if (path == null) {
      return null;
    }
    if (method.equals("GET")) {
      boolean one = path.startsWith(VIDEO) && path.indexOf('/', VIDEO.length()) < 0;
      return one && path.length() > VIDEO.length() ? VIDEO_POLL : null;
    }
    if (!method.equals("POST")) {
      return null;
    }
    return switch (path) {
      case "/v1/chat/completions" -> CHAT;
      case "/v1/completions" -> COMPLETIONS;
      case "/v1/videos" -> VIDEOS;
      case "/generate" -> GENERATE;
      default -> path.startsWith("/v1/images/") ? IMAGES : null;
    };
  }
}
