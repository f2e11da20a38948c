package io.servedrift.monitors.topology;

import io.servedrift.monitors.pane.Tally;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.processor.StateRestoreListener;

/** Counts what comes back from changelogs when this instance takes a partition. Thread-safe. */
final class RestoreCounts implements StateRestoreListener {
  private final Tally tally;

  RestoreCounts(Tally tally) {
    this.tally = tally;
  }

  @Override
  public void onRestoreStart(TopicPartition partition, String store, long from, long to) {
    tally.count("stores_restoring");
  }

  @Override
  public void onBatchRestored(TopicPartition partition, String store, long end, long records) {
    tally.add("store_records_restored", records);
  }

  @Override
  public void onRestoreEnd(TopicPartition partition, String store, long records) {
    tally.add("stores_restoring", -1);
    tally.count("stores_restored");
  }

  @Override
  public void onRestoreSuspended(TopicPartition partition, String store, long records) {
    tally.add("stores_restoring", -1);
  }
}
