package io.servedrift.monitors.ledger.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.servedrift.monitors.ledger.Entries;
import io.servedrift.monitors.ledger.Ledger;
import io.servedrift.monitors.ledger.LedgerEntry;
import io.servedrift.schemas.ConfigFingerprint;
import io.servedrift.schemas.ConfigFingerprint.Fingerprint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LedgerFileTest {
  private static final Fingerprint CONFIG =
      ConfigFingerprint.ofConfig(Entries.json("{'batching':{'max_batch_size':8}}"));
  private static final Fingerprint MODEL =
      ConfigFingerprint.ofModel(Entries.json("{'name':'flux'}"));

  @TempDir private Path folder;

  private Path file() {
    return folder.resolve("ledger.ndjson");
  }

  private static LedgerEntry entry(double value) {
    return Entries.entry(CONFIG, MODEL, value, .01);
  }

  @Test
  void givesBackWhatWasAdded_withConfigurationAndModel() throws IOException {
    LedgerFile ledger = new LedgerFile(file());
    assertThat(ledger.add(entry(.7))).isTrue();
    assertThat(ledger.add(entry(.8))).isTrue();
    assertThat(ledger.read().entries()).containsExactlyInAnyOrder(entry(.7), entry(.8));
    assertThat(ledger.read().problems()).isEmpty();
  }

  @Test
  void addsARecordOnce() throws IOException {
    LedgerFile ledger = new LedgerFile(file());
    ledger.add(entry(.7));
    assertThat(ledger.add(entry(.7))).isFalse();
    assertThat(Files.readAllLines(file())).hasSize(1);
  }

  @Test
  void passesOverBadLines_andNamesThem() throws IOException {
    LedgerFile ledger = new LedgerFile(file());
    ledger.add(entry(.7));
    Files.writeString(
        file(),
        """

        rubbish
        {"type":"eval","name":"x"}
        {"type":"tick","at":"2026-11-30T10:00:00Z"}
        """,
        StandardOpenOption.APPEND);
    Ledger read = ledger.read();
    assertThat(read.entries()).containsExactly(entry(.7));
    assertThat(read.problems()).hasSize(2);
    assertThat(read.problems().get(0)).startsWith(file() + ":3: ").doesNotContain("rubbish");
    assertThat(read.problems().get(1)).startsWith(file() + ":4: ").contains("eval_id");
  }

  @Test
  void doesNotLoseARecordBehindALineThatWasCutOff() throws IOException {
    Files.writeString(file(), "{\"type\":\"eval\",\"eval_");
    LedgerFile ledger = new LedgerFile(file());
    ledger.add(entry(.7));
    assertThat(ledger.read().entries()).containsExactly(entry(.7));
    assertThat(ledger.read().problems()).hasSize(1);
  }

  @Test
  void knowsAnIdFromAConfigEventOfTheFile() throws IOException {
    Files.writeString(
        file(),
        "{\"type\":\"eval\",\"eval_id\":\"e-7\",\"at\":\"2026-11-30T10:00:00Z\",\"name\":\"n\","
            + "\"metric\":\"m\",\"value\":1,\"config_id\":\""
            + CONFIG.id()
            + "\"}\n{\"type\":\"config\",\"at\":\"2026-11-30T10:00:00Z\",\"deployment\":\"d\","
            + "\"config\":{\"batching\":{\"max_batch_size\":8}}}\n");
    LedgerEntry read = new LedgerFile(file()).read().find("e-7").orElseThrow();
    assertThat(read.config()).isEqualTo(CONFIG);
    assertThat(read.model()).isNull();
  }

  @Test
  void refusesWhatIsNoFile() {
    assertThatThrownBy(() -> new LedgerFile(folder).read())
        .isInstanceOf(LedgerException.class)
        .hasMessageContaining("is a folder");
    assertThatThrownBy(() -> new LedgerFile(file()).read()).isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void hidesWhatWasSuperseded() throws IOException {
    LedgerFile ledger = new LedgerFile(file());
    LedgerEntry old = entry(.7);
    ledger.add(old);
    LedgerEntry next = Entries.superseding(old, CONFIG, .8);
    ledger.add(next);
    assertThat(ledger.read().standing()).extracting(LedgerEntry::id).containsExactly(next.id());
    assertThat(ledger.read().superseded()).containsExactly(old.id());
  }

  @Test
  void hidesNothing_forARecordThatWasAltered() throws IOException {
    LedgerFile ledger = new LedgerFile(file());
    LedgerEntry old = entry(.7);
    ledger.add(old);
    ledger.add(Entries.altered(Entries.superseding(old, CONFIG, .8), .9));
    assertThat(ledger.read().standing()).hasSize(2);
    assertThat(ledger.read().superseded()).isEmpty();
  }
}
