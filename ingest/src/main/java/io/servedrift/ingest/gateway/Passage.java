package io.servedrift.ingest.gateway;

import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/**
 * A request on its way through the proxy. Knows whether its answer has come whole: a client that
 * closes then has not left, it has what it asked for.
 */
final class Passage {

  private static final String ATTRIBUTE = Passage.class.getName();

  private final @Nullable Exchange exchange;
  private long announced = -1;
  private long seen;
  private volatile boolean whole;

  Passage(@Nullable Exchange exchange) {
    this.exchange = exchange;
  }

  static Passage of(Request request) {
    if (request.getAttribute(ATTRIBUTE) instanceof Passage passage) {
      return passage;
    }
    throw new IllegalStateException("every request gets one before it is sent on");
  }

  void attachTo(Request request) {
    request.setAttribute(ATTRIBUTE, this);
  }

  /** Where it is measured, null when it is not. */
  @Nullable Exchange exchange() {
    return exchange;
  }

  void answerHeaders(org.eclipse.jetty.client.Response answer) {
    announced = answer.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
  }

  void answerBytes(int count) {
    seen += count;
    if (seen == announced) {
      whole = true;
    }
  }

  void answerEnds() {
    whole = true;
  }

  /** Whether all that the client can want has come: the last byte, or a stream's last word. */
  boolean isWhole() {
    return whole || (exchange != null && exchange.saidDone());
  }
}
