package io.servedrift.ingest.gateway;

import org.eclipse.jetty.server.handler.ErrorHandler;

/** The gateway's own errors: what HTTP calls them, and nothing of the inside. */
final class TerseErrors extends ErrorHandler {

  TerseErrors() {
    setShowStacks(false);
    setShowCauses(false);
    setShowMessageInTitle(false);
    setDefaultResponseMimeType("application/json");
  }
}
