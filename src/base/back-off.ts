/** The wait after this many failures in a row, counted from 1: `firstMs`, and twice as long after each further one, up to `maxMs`. */
export function backOffMs(failures: number, firstMs: number, maxMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs);
}
