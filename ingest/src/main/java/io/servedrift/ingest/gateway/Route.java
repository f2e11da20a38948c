package io.servedrift.ingest.gateway;

import org.jspecify.annotations.Nullable;

/** The requests that are measured; all others pass as they are. */
enum Route {
  IMAGES("image"),
  VIDEOS("video"),
  CHAT("text"),
  COMPLETIONS("text"),
  /** SGLang's own endpoint. */
  GENERATE("text");

  private final String modality;

  Route(String modality) {
    this.modality = modality;
  }

  /** What is made: {@code image}, {@code video} or {@code text}. */
  String modality() {
    return modality;
  }

  /** The route of a request, null when it is not measured. */
  static @Nullable Route of(String method, @Nullable String path) {
    if (path == null || !method.equals("POST")) {
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
