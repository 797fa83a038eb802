import { DAY_MS } from "../domain/time.ts";
import { type Fixed, fixed, fixedText, maxFixed, subFixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { CarriedBaseline } from "../orders/carried.ts";

/** From where losses of one scope are counted: total PnL in quote token, after fees, at the mid. */
export class RiskBaseline {
  /** The newest total; undefined while it cannot be valued. */
  #total: Fixed | undefined;
  #session: Fixed | undefined;
  readonly #markets: readonly MarketId[];
  #kept: { readonly day: number; readonly dayStart: Fixed; readonly peak: Fixed } | undefined;

  /** `markets`: those of the total. */
  constructor(markets: readonly MarketId[]) {
    this.#markets = markets;
  }

  /** Values the scope. Returns true when what the next run has to know has changed. */
  mark(total: Fixed | undefined, nowMs: number): boolean {
    this.#total = total;
    if (total === undefined) return false;
    this.#session ??= total;
    const day = Math.floor(nowMs / DAY_MS);
    const kept = this.#kept;
    if (kept === undefined) this.#kept = { day, dayStart: total, peak: total };
    else if (kept.day !== day || total > kept.peak) {
      const dayStart = kept.day === day ? kept.dayStart : total;
      this.#kept = { day, dayStart, peak: maxFixed(kept.peak, total) };
    }
    return this.#kept !== kept;
  }

  get sessionPnl(): Fixed | undefined {
    return since(this.#total, this.#session);
  }

  get dayPnl(): Fixed | undefined {
    return since(this.#total, this.#kept?.dayStart);
  }

  get drawdown(): Fixed | undefined {
    return since(this.#kept?.peak, this.#total);
  }

  /** Counts losses from the present total on. */
  rebase(nowMs: number): void {
    this.#session = undefined;
    this.#kept = undefined;
    this.mark(this.#total, nowMs);
  }

  saved(): CarriedBaseline | undefined {
    if (this.#kept === undefined) return undefined;
    const { day, dayStart, peak } = this.#kept;
    return {
      markets: this.#markets,
      day,
      dayStart: fixedText(dayStart),
      peak: fixedText(peak),
    };
  }

  restore({ markets, day, dayStart, peak }: CarriedBaseline): void {
    if (markets.join() !== this.#markets.join()) return;
    this.#kept = { day, dayStart: fixed(dayStart), peak: fixed(peak) };
  }
}

function since(now: Fixed | undefined, start: Fixed | undefined): Fixed | undefined {
  return now === undefined || start === undefined ? undefined : subFixed(now, start);
}
