import { Ring } from "../base/ring.ts";

/** Responses that count. */
const NEWEST = 50;

/** How long the venue took lately from a command to its response. */
export class Latency {
  readonly #newestMs = new Ring<number>(NEWEST);

  responded(tookMs: number): void {
    this.#newestMs.push(tookMs);
  }

  /** Milliseconds; undefined before the first response. */
  percentiles(): { readonly p50Ms: number; readonly p90Ms: number } | undefined {
    const sorted = this.#newestMs.oldestFirst().toSorted((one, other) => one - other);
    const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
    return sorted.length === 0 ? undefined : { p50Ms: at(0.5), p90Ms: at(0.9) };
  }
}
