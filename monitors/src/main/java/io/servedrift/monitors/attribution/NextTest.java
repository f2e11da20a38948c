package io.servedrift.monitors.attribution;

import io.servedrift.monitors.attribution.Attribution.Undecided.Reason;
import io.servedrift.monitors.attribution.Attribution.Verdict;

/**
 * The test that would prove a verdict wrong or right: telemetry adjusts, only a replay separates.
 *
 * @param what what to send and what to compare
 * @param command the command, its places in capitals to be filled in ({@code FINDING_ID} by who
 *     knows the finding); empty where no command does it
 */
public record NextTest(String what, String command) {
  private static final String GATE =
      "servedrift gate --old URL --new URL --prompts FILE --finding FINDING_ID";
  private static final String NONE = "";

  static NextTest of(Verdict verdict) {
    return switch (verdict.cause()) {
      case CACHE ->
          new NextTest("same requests with the cache off: outputs and scores must agree", GATE);
      case BATCHING -> new NextTest("same requests at batch 1 and at the production batch", GATE);
      case SCHEDULING ->
          new NextTest("same requests one at a time: no waiting, stalls or preemptions", GATE);
      case NODE ->
          new NextTest(
              "same requests on " + place(verdict, "node", "that node") + " and on another one",
              "servedrift gate --old URL_OF_ANOTHER_NODE --new URL_OF_THE_NODE --prompts FILE"
                  + " --finding FINDING_ID");
      case CONFIG_CHANGE ->
          new NextTest("same requests under the old and the new configuration", GATE);
      case MODEL, UNEXPLAINED ->
          new NextTest(
              "same requests in the clean regime: batch 1, no cache, old against new", GATE);
      case LOAD ->
          new NextTest("nothing in serving; a load test shows where the latency bends", NONE);
      case TRAFFIC_MIX ->
          new NextTest("nothing in serving; compare the classes of requests before and now", NONE);
      case SCORER_CHANGE ->
          new NextTest("score the same stored outputs with the old and the new scorer", NONE);
      case INCONCLUSIVE -> separating(verdict);
    };
  }

  private static String place(Verdict verdict, String covariate, String otherwise) {
    return verdict.where().getOrDefault(covariate, otherwise);
  }

  private static NextTest separating(Verdict verdict) {
    Attribution.Undecided undecided = verdict.undecided();
    if (undecided == null) {
      return new NextTest("same requests in the clean regime: batch 1, no cache", GATE);
    }
    String more =
        undecided.requestsMissing() > 0
            ? "; about " + undecided.requestsMissing() + " requests are needed"
            : "";
    Reason reason = undecided.reason();
    return switch (reason) {
      case COLLINEAR, SPLIT ->
          new NextTest(
              "same requests with one thing changed at a time: batch 1, then cache off" + more,
              GATE);
      case CLEAN_PATH, NO_OVERLAP ->
          new NextTest("same requests in the clean regime: batch 1, no cache" + more, GATE);
      case TOO_SMALL -> new NextTest("wait for more requests" + more, NONE);
    };
  }
}
