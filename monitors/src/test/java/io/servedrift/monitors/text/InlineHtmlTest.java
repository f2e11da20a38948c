package io.servedrift.monitors.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class InlineHtmlTest {

  @Test
  void leavesNothingThatAScriptElementOrItsLinesCouldEndAt() {
    assertThat(InlineHtml.json("\"</script><!--&\u2028\u2029\""))
        .isEqualTo("\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\\u2029\"");
  }

  /** The digest of the empty text, as base64. */
  @Test
  void namesContentByItsDigest() {
    assertThat(InlineHtml.hash(""))
        .isEqualTo("sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  }
}
