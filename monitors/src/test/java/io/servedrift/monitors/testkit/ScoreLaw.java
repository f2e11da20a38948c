package io.servedrift.monitors.testkit;

/**
 * How a score is drawn.
 *
 * @param name of the score
 * @param mean of unconstrained requests, added to the class's own offset
 * @param sd noise between requests; 0: the score is 0 or 1 with the mean as probability
 * @param classWeight how much of the class's CLIP offset from 0.3 shows, in units of the score
 * @param topicSd drift that all requests share, by the minute
 * @param constrainedShift added for requests decoded under a constraint
 */
public record ScoreLaw(
    String name,
    double mean,
    double sd,
    double classWeight,
    double topicSd,
    double constrainedShift) {

  /** The same without the drift that all requests share. */
  ScoreLaw withoutTopic() {
    return new ScoreLaw(name, mean, sd, classWeight, 0, constrainedShift);
  }

  boolean isBinary() {
    return sd == 0;
  }
}
