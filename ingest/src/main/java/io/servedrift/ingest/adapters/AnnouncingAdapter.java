package io.servedrift.ingest.adapters;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An adapter beside which something else is looked at, such as the configuration that serves its
 * records: what is new there is given as events whenever time passes. Not thread-safe.
 */
public final class AnnouncingAdapter implements Adapter {
  private static final SourceLine BESIDE = new SourceLine(new byte[0], 0, 0);

  private final Adapter adapter;
  private final Supplier<List<ObjectNode>> news;

  /**
   * @param news since it was asked last, in the shape of the contract
   */
  public AnnouncingAdapter(Adapter adapter, Supplier<List<ObjectNode>> news) {
    this.adapter = adapter;
    this.news = news;
  }

  @Override
  public void take(SourceLine line, AdapterOutput out) {
    adapter.take(line, out);
  }

  @Override
  public void pass(Instant now, AdapterOutput out) {
    news.get().forEach(event -> out.event(event, BESIDE));
    adapter.pass(now, out);
  }

  @Override
  public void held(Consumer<SourceLine> each) {
    adapter.held(each);
  }

  @Override
  public int waiting() {
    return adapter.waiting();
  }

  @Override
  public void require() throws UnfitSourceException {
    adapter.require();
  }

  @Override
  public void end(AdapterOutput out) throws UnfitSourceException {
    adapter.end(out);
  }
}
