package io.servedrift.monitors.attribution;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is said of the requests that serving did not touch claims nothing that is not recorded. */
class CleanPathWordingTest {
  private static String said(boolean batch, boolean cache, boolean preemption) {
    return Wording.cleanPath(new CleanPath(-.011, .001, 2314, batch, cache, preemption, false));
  }

  @Test
  void namesAllThree_whenAllAreRecorded() {
    assertThat(said(true, true, true))
        .startsWith("requests at batch 1 to 3, cache miss, not preempted moved by -0.011 ")
        .endsWith(", n=2314");
  }

  @Test
  void namesWhatIsNotRecorded_asThat() {
    assertThat(said(false, true, true))
        .startsWith("requests with cache miss, not preempted (batch not recorded) moved by ");
    assertThat(said(true, false, false))
        .startsWith("requests with batch 1 to 3 (cache and preemption not recorded) moved by ");
    assertThat(said(false, false, false))
        .startsWith("requests, whose batch, cache and preemption are not recorded, moved by ");
  }
}
