/**
 * Probability that a standard normal variable is at most `x`. Series of G. Marsaglia, "Evaluating the Normal Distribution", Journal of
 * Statistical Software 11 (2004); accurate to about 1e-15.
 */
export function normalCdf(x: number): number {
  if (x < -8) return 0;
  if (x > 8) return 1;
  let sum = x;
  let term = x;
  for (let odd = 3; Math.abs(term) > 1e-17; odd += 2) {
    term *= (x * x) / odd;
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The value below which a standard normal variable is with probability `p`, above 0 and below 1. Found by bisection. */
export function normalQuantile(p: number): number {
  let low = -8;
  let high = 8;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (normalCdf(middle) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
