package io.servedrift.monitors.pane;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * Exact sums of values and of their squares in fixed-point units. Not thread-safe; used while a
 * distribution is made.
 *
 * <p>Small values are added in longs and carried over before a long could overflow, as one
 * BigInteger per value would be most of the cost of a pane.
 */
final class ExactSums {
  /** With |units| up to this, 2^14 sums and squares stay far inside 63 and 127 bits. */
  private static final double SMALL = 0x1p48;

  private static final int CARRY_AFTER = 1 << 14;

  private final double unitsPerOne;
  private BigInteger sum = BigInteger.ZERO;
  private BigInteger sumSquares = BigInteger.ZERO;
  private long partSum;
  private long partSquaresHigh;
  private long partSquaresLow;
  private int sinceCarry;

  ExactSums(double unitsPerOne) {
    this.unitsPerOne = unitsPerOne;
  }

  void add(double value) {
    double units = Math.rint(value * unitsPerOne);
    if (Math.abs(units) > SMALL) {
      BigInteger large = new BigDecimal(units).toBigIntegerExact();
      sum = sum.add(large);
      sumSquares = sumSquares.add(large.multiply(large));
      return;
    }
    long small = (long) units;
    partSum += small;
    long low = small * small;
    partSquaresLow += low;
    partSquaresHigh += Math.multiplyHigh(small, small);
    if (Long.compareUnsigned(partSquaresLow, low) < 0) {
      partSquaresHigh++;
    }
    if (++sinceCarry == CARRY_AFTER) {
      carry();
    }
  }

  BigInteger sum() {
    carry();
    return sum;
  }

  BigInteger sumSquares() {
    carry();
    return sumSquares;
  }

  private void carry() {
    sum = sum.add(BigInteger.valueOf(partSum));
    BigInteger low = BigInteger.valueOf(partSquaresLow & Long.MAX_VALUE);
    if (partSquaresLow < 0) {
      low = low.setBit(Long.SIZE - 1);
    }
    sumSquares = sumSquares.add(BigInteger.valueOf(partSquaresHigh).shiftLeft(Long.SIZE).add(low));
    partSum = 0;
    partSquaresHigh = 0;
    partSquaresLow = 0;
    sinceCarry = 0;
  }
}
