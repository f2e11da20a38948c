package io.servedrift.monitors.cli.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SettingTypeTest {

  @Test
  void keepsBootstrapServersInTheFormKafkaReads() {
    assertThat(SettingType.hostPorts().read("a:9092, [::1]:9093")).isEqualTo("a:9092,[::1]:9093");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a:", "a:0", "a:65536", "a:9092,,b:9092", "http://a:9092"})
  void refusesBootstrapServers_whenNotHostAndPort(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> SettingType.hostPorts().read(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://a", "a", "http://", "http:// a", "http://a:0", "http://a:65536"})
  void refusesUrl_whenNotHttp(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> SettingType.url().read(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://u:p@a", "http://a/?q=1", "http://a/#x"})
  void refusesBase_whenAPathCannotBeAddedOrItHoldsASecret(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> SettingType.base().read(text));
    assertThatIllegalArgumentException().isThrownBy(() -> SettingType.bases().read(text));
    assertThat(SettingType.bases().read("HTTP://a:9093, https://b/am")).hasSize(2);
  }

  @Test
  void takesAQueryInALink_butNoSecretAndNoFragment() {
    assertThat(SettingType.link().read("https://a/d?org=1")).hasQuery("org=1");
    assertThatIllegalArgumentException().isThrownBy(() -> SettingType.link().read("http://u@a/"));
    assertThatIllegalArgumentException().isThrownBy(() -> SettingType.link().read("http://a/#x"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "yes", "", "on"})
  void refusesFlag_whenNeitherTrueNorFalse(String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> SettingType.flag().read(text));
  }

  @Test
  void readsBoundsAsIncluded() {
    SettingType<Integer> type = SettingType.size("1KiB", "2KiB");

    assertThat(type.read("1KiB")).isEqualTo(1024);
    assertThat(type.read("2048B")).isEqualTo(2048);
    assertThatIllegalArgumentException().isThrownBy(() -> type.read("1023B"));
    assertThatIllegalArgumentException().isThrownBy(() -> type.read("2049B"));
  }
}
