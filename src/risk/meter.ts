import type { MarketId } from "../domain/ids.ts";
import type { TriggerValues } from "./ladder.ts";
import { MAX_REMEMBERED, type MeasuredFill } from "./measured.ts";
import { triggerNames } from "./triggers.ts";

type FillFacts = Omit<MeasuredFill, "midLater">;

interface RememberedFill extends FillFacts {
  readonly marketId: MarketId;
  midLater: number | undefined;
}

/** What happened to one scope within the longest window of its triggers. Nothing of it survives a restart. */
export class RiskMeter {
  readonly #keepMs: number;
  readonly #afterMs: number;
  #rejects: number[] = [];
  #fills: RememberedFill[] = [];
  #offsets: { readonly atMs: number; readonly offsetMs: number }[] = [];
  /** Index of the first fill that waits for its later mid. */
  #unsettled = 0;

  constructor(values: TriggerValues) {
    this.#keepMs = Math.max(0, ...triggerNames.map((name) => values[name]?.windowMs ?? 0));
    this.#afterMs = values.fillsAgainstMid?.afterMs ?? 0;
  }

  /** Number of remembered entries. */
  get size(): number {
    return this.#rejects.length + this.#fills.length + this.#offsets.length;
  }

  reject(nowMs: number): void {
    if (this.#keepMs === 0) return;
    this.#rejects.push(nowMs);
    if (this.#rejects.length > MAX_REMEMBERED) this.#rejects.shift();
  }

  fill(marketId: MarketId, fill: FillFacts): void {
    if (this.#keepMs === 0) return;
    this.#fills.push({ ...fill, marketId, midLater: undefined });
    if (this.#fills.length <= MAX_REMEMBERED) return;
    this.#fills.shift();
    this.#unsettled = Math.max(0, this.#unsettled - 1);
  }

  clockOffset(nowMs: number, offsetMs: number): void {
    if (this.#keepMs === 0) return;
    this.#offsets.push({ atMs: nowMs, offsetMs });
    if (this.#offsets.length > MAX_REMEMBERED) this.#offsets.shift();
  }

  /** Gives fills that are old enough their later mid, and forgets what is older than every window. */
  advance(nowMs: number, midOf: (marketId: MarketId) => number | undefined): void {
    while (this.#unsettled < this.#fills.length) {
      const fill = this.#fills[this.#unsettled];
      if (fill === undefined || nowMs - fill.atMs < this.#afterMs) break;
      fill.midLater = midOf(fill.marketId);
      this.#unsettled += 1;
    }
    const fromMs = nowMs - this.#keepMs;
    if ((this.#rejects[0] ?? nowMs) <= fromMs) {
      this.#rejects = this.#rejects.filter((atMs) => atMs > fromMs);
    }
    if ((this.#offsets[0]?.atMs ?? nowMs) <= fromMs) {
      // The reading before the window is the one that the window begins with.
      const first = this.#offsets.findLastIndex(({ atMs }) => atMs <= fromMs);
      this.#offsets = this.#offsets.slice(first);
    }
    if ((this.#fills[0]?.atMs ?? nowMs) > fromMs) return;
    const kept = this.#fills.filter(({ atMs }) => atMs > fromMs);
    this.#unsettled = Math.max(0, this.#unsettled - (this.#fills.length - kept.length));
    this.#fills = kept;
  }

  rejects(nowMs: number, windowMs: number): number {
    return this.#rejects.filter((atMs) => atMs > nowMs - windowMs).length;
  }

  fills(nowMs: number, windowMs: number): readonly MeasuredFill[] {
    return this.#fills.filter(({ atMs }) => atMs > nowMs - windowMs);
  }

  clockChangeMs(nowMs: number, windowMs: number): number {
    const fromMs = nowMs - windowMs;
    const first = Math.max(
      0,
      this.#offsets.findLastIndex(({ atMs }) => atMs <= fromMs),
    );
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const { offsetMs } of this.#offsets.slice(first)) {
      least = Math.min(least, offsetMs);
      most = Math.max(most, offsetMs);
    }
    return Math.max(0, most - least);
  }

  /** Forgets everything, so that the next values begin here. */
  clear(): void {
    this.#rejects = [];
    this.#fills = [];
    this.#unsettled = 0;
    this.#offsets = this.#offsets.slice(-1);
  }
}
