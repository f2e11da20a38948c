package io.servedrift.monitors.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OutputLinksTest {
  private static final OutputLinks LINKS =
      OutputLinks.of("https://store.example/outputs/{request_id}.png?size=full");

  @Test
  void putsTheRequestIntoThePattern() {
    assertThat(LINKS.link("r-1")).contains("https://store.example/outputs/r-1.png?size=full");
  }

  @Test
  void encodesWhateverARequestIsCalled() {
    assertThat(LINKS.link("a/../b?x=1#y\" onclick=\"z é"))
        .contains(
            "https://store.example/outputs/"
                + "a%2F..%2Fb%3Fx%3D1%23y%22%20onclick%3D%22z%20%C3%A9.png?size=full");
  }

  @Test
  void linksNothing_withoutAPattern_orToAnotherFolder() {
    assertThat(OutputLinks.NONE.link("r-1")).isEmpty();
    assertThat(OutputLinks.of("https://store.example/{request_id}").link("..")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "https://store.example/outputs/, must contain {request_id}",
    "javascript:alert({request_id}), must be an http:// or https:// URL",
    "file:///outputs/{request_id}, must be an http:// or https:// URL",
    "/outputs/{request_id}, must be an http:// or https:// URL",
    "https://{request_id}.store.example/, must stand behind the host",
    "https://{request_id}, must stand behind the host",
    "https://store.example/a b/{request_id}, is no URL",
    "https://user:pw@store.example/{request_id}, must not hold a user",
  })
  void refusesWhatIsNoSafePattern(String pattern, String why) {
    assertThatThrownBy(() -> OutputLinks.of(pattern))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why)
        .message()
        .doesNotContain("pw@");
  }
}
