package io.servedrift.monitors.ops;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.prometheus.metrics.config.EscapingScheme;
import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import io.prometheus.metrics.model.snapshots.NativeHistogramBuckets;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot.UnknownDataPointSnapshot;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** Bytes against the wire format written out by hand; a real server reads them in an own test. */
class ProtobufFormatTest {
  private final ProtobufFormat format = new ProtobufFormat();

  private String hex(MetricSnapshot snapshot) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    format.write(out, MetricSnapshots.of(snapshot), EscapingScheme.UNDERSCORE_ESCAPING);
    return HexFormat.of().formatHex(out.toByteArray());
  }

  private static String field(int tag, String content) {
    return HexFormat.of().toHexDigits((byte) tag)
        + HexFormat.of().toHexDigits((byte) (content.length() / 2))
        + content;
  }

  private static String text(String value) {
    return HexFormat.of().formatHex(value.getBytes(java.nio.charset.StandardCharsets.UTF_8));
  }

  private static String family(String name, String type, String metric) {
    String content =
        field(0x0a, text(name)) + field(0x12, text("h")) + "18" + type + field(0x22, metric);
    return HexFormat.of().toHexDigits((byte) (content.length() / 2)) + content;
  }

  @Test
  void writesACounter() throws IOException {
    CounterSnapshot counter =
        CounterSnapshot.builder()
            .name("c")
            .help("h")
            .dataPoint(
                CounterDataPointSnapshot.builder().labels(Labels.of("k", "v")).value(1).build())
            .build();
    String pair = field(0x0a, field(0x0a, text("k")) + field(0x12, text("v")));
    String value = field(0x1a, "09" + "000000000000f03f");
    assertThat(hex(counter)).isEqualTo(family("c_total", "00", pair + value));
  }

  @Test
  void writesSpansAndDeltasOfNativeBuckets() throws IOException {
    HistogramSnapshot histogram =
        HistogramSnapshot.builder()
            .name("n")
            .help("h")
            .dataPoint(
                HistogramDataPointSnapshot.builder()
                    .classicHistogramBuckets(
                        ClassicHistogramBuckets.of(
                            new double[] {Double.POSITIVE_INFINITY}, new long[] {8}))
                    .nativeSchema(5)
                    .nativeZeroThreshold(0)
                    .nativeZeroCount(0)
                    .nativeBucketsForPositiveValues(
                        NativeHistogramBuckets.of(new int[] {-3, -2, 4}, new long[] {1, 5, 2}))
                    .sum(2)
                    .build())
            .build();
    String zero = "0000000000000000";
    String two = "0000000000000040";
    String infinity = "000000000000f07f";
    String content =
        ("08" + "08" + "11" + two) // sample_count 8, sample_sum 2
            + field(0x1a, "08" + "08" + "11" + infinity) // 8 up to infinity
            + ("28" + "0a" + "31" + zero + "38" + "00") // schema 5, zero threshold and count
            + field(0x62, "08" + "05" + "10" + "02") // from -3, 2 buckets
            + field(0x62, "08" + "0a" + "10" + "01") // 5 further, 1 bucket
            + ("68" + "02" + "68" + "08" + "68" + "05"); // 1, 4 more, 3 fewer
    assertThat(hex(histogram)).isEqualTo(family("n", "04", field(0x3a, content)));
  }

  @Test
  void leavesFamiliesWithoutSeriesOut() throws IOException {
    assertThat(hex(InfoSnapshot.builder().name("nothing").help("h").build())).isEmpty();
  }

  @Test
  void refusesAKindThatTheProcessDoesNotHave() {
    UnknownSnapshot unknown =
        UnknownSnapshot.builder()
            .name("u")
            .dataPoint(UnknownDataPointSnapshot.builder().value(1).build())
            .build();
    assertThatThrownBy(() -> hex(unknown))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("metric u: UnknownSnapshot has no protobuf form");
  }

  @Test
  void isUsedOnlyWhenAskedFor() {
    assertThat(
            format.accepts(
                "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
                    + "encoding=delimited,text/plain;version=0.0.4;q=0.2"))
        .isTrue();
    assertThat(format.accepts("application/openmetrics-text;version=1.0.0")).isFalse();
    assertThat(format.accepts(null)).isFalse();
  }
}
