package io.servedrift.serving.engine;

import java.util.List;

/**
 * How far the latents of two runs of the same requests are apart.
 *
 * @param differing share of the elements that are not equal to the last bit
 * @param largest largest absolute difference of an element
 * @param relative mean over the requests of {@code |a - b| / |b|}, Euclidean
 */
record LatentDifference(double differing, double largest, double relative) {

  /** Compares request by request, element by element. */
  static LatentDifference between(List<float[]> one, List<float[]> other) {
    long elements = 0;
    long differing = 0;
    double largest = 0;
    double relative = 0;
    for (int request = 0; request < one.size(); request++) {
      float[] a = one.get(request);
      float[] b = other.get(request);
      double squares = 0;
      double size = 0;
      for (int i = 0; i < a.length; i++) {
        double difference = Math.abs((double) a[i] - b[i]);
        differing += Float.compare(a[i], b[i]) == 0 ? 0 : 1;
        largest = Math.max(largest, difference);
        squares += difference * difference;
        size += (double) b[i] * b[i];
      }
      elements += a.length;
      relative += Math.sqrt(squares / size) / one.size();
    }
    return new LatentDifference((double) differing / elements, largest, relative);
  }
}
