/** A label of an axis whose labels are `step` apart: with the decimals that tell them apart, in thousands where those are plenty. */
export function axisText(value: number, step: number): string {
  if (value === 0 && step >= 1) return "0";
  if (step >= 1_000_000) return `${value / 1_000_000}M`;
  if (step >= 1_000) return `${value / 1_000}k`;
  // Steps are 1, 2, 2.5 or 5 times a power of ten.
  const decimals = Math.max(0, -Math.floor(Math.log10(step)));
  const isQuarter = Math.abs(step * 10 ** decimals - 2.5) < 1e-6;
  return value.toFixed(Math.min(8, decimals + (isQuarter ? 1 : 0)));
}
