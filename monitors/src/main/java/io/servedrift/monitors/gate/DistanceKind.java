package io.servedrift.monitors.gate;

import org.jspecify.annotations.Nullable;

/**
 * What distance two outputs are compared by: 0 when they are alike. Each has a least distance that
 * is added to every pair, so that a floor of zero does not make differences infinite that nobody
 * could see: a tenth of what the default margins allow.
 */
enum DistanceKind {
  COSINE("1 - cosine", 0.002),
  SSIM("1 - SSIM", 0.01),
  PSNR("root mean square error", 0.005),
  TOKENS("share of other tokens", 0.01);

  private final String label;
  private final double least;

  DistanceKind(String label, double least) {
    this.label = label;
    this.least = least;
  }

  String label() {
    return label;
  }

  double least() {
    return least;
  }

  /** The distance of a pair, 0 or more; null when it was not measured. */
  @Nullable Double of(PairDistance pair) {
    if (pair.identical()) {
      return 0.0;
    }
    Double value =
        switch (this) {
          case COSINE -> complement(pair.cosine());
          case SSIM -> complement(pair.ssim());
          case PSNR -> pair.psnrDb() == null ? null : Math.pow(10, -pair.psnrDb() / 20);
          case TOKENS -> complement(pair.tokenShare());
        };
    return value == null || !Double.isFinite(value) ? null : Double.valueOf(Math.max(0, value));
  }

  private static @Nullable Double complement(@Nullable Double similarity) {
    return similarity == null ? null : Double.valueOf(1 - similarity);
  }
}
