package io.servedrift.serving.generation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ImageRequestTest {

  @Test
  void tellsNoPrompt() {
    ImageRequest request =
        new ImageRequest(
            "r-1", "a secret", "a hidden", 64, 48, 12, 2.5, 7, List.of(), 3, null, true);

    assertThat(request)
        .hasToString("ImageRequest[r-1, 64x48, steps=12, guidanceScale=2.5, priority=3]");
  }
}
