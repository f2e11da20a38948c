package io.servedrift.monitors.alert;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.servedrift.schemas.avro.Severity;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AlertPreviewTest {

  @Test
  void showsWhatWouldBePosted() throws IOException {
    TestFinding page = TestFinding.of("f1");
    TestFinding ticket =
        TestFinding.of("f2").in("inc-f1").about("queue", "tail").as(Severity.TICKET);
    Instant now = TestFinding.DETECTED.plusSeconds(5);

    JsonNode alerts =
        new ObjectMapper()
            .readTree(
                AlertPreview.of(List.of(page.record(), ticket.record()), TestFinding.LINKS, now));

    AlertBook book = new AlertBook(TestFinding.TIMINGS, TestFinding.LINKS);
    book.observe(page.view(), now);
    book.observe(ticket.view(), now);
    assertThat(alerts).isEqualTo(AlertmanagerClient.array(book.due(now)));
    assertThat(alerts).hasSize(1);
    JsonNode alert = alerts.get(0);
    assertThat(alert.at("/labels/alertname").asText()).isEqualTo("ServedriftLatencyTailShift");
    assertThat(alert.at("/labels/severity").asText()).isEqualTo("page");
    assertThat(alert.at("/annotations/cause").asText()).startsWith("cache");
    assertThat(alert.at("/startsAt").asText()).isEqualTo(TestFinding.DETECTED.toString());
  }
}
