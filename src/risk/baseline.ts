import { DAY_MS } from "../domain/time.ts";
import {
  addFixed,
  type Fixed,
  fixed,
  fixedText,
  maxFixed,
  subFixed,
  ZERO,
} from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { CarriedBaseline } from "../orders/carried.ts";

/** From where losses of one scope are counted: total PnL in quote token, after fees, at the mid. */
export class RiskBaseline {
  /** The newest total; undefined while it cannot be valued. */
  #total: Fixed | undefined;
  #session: Fixed | undefined;
  /** The total is over these. */
  readonly markets: readonly MarketId[];
  #kept: { readonly day: number; readonly dayStart: Fixed; readonly peak: Fixed } | undefined;

  /** The day before the kept one, and its latest time: a clock that was wrong for a while returns to it. */
  #left: { readonly day: number; readonly dayStart: Fixed; readonly untilMs: number } | undefined;
  /** The time of the newest valuation. */
  #markedMs = Number.NEGATIVE_INFINITY;

  /** `markets`: those of the total. */
  constructor(markets: readonly MarketId[]) {
    this.markets = markets;
  }

  /** Values the scope. Returns true when what the next run has to know has changed. `nowMs`: Unix time by the clock that begins days. */
  mark(total: Fixed | undefined, nowMs: number): boolean {
    this.#total = total;
    if (total === undefined) return false;
    this.#session ??= total;
    const untilMs = this.#markedMs;
    this.#markedMs = nowMs;
    const today = Math.floor(nowMs / DAY_MS);
    const kept = this.#kept;
    if (kept === undefined) {
      this.#kept = { day: today, dayStart: total, peak: total };
      return true;
    }
    if (this.#left?.day === today && returns(kept.day, this.#left, nowMs)) {
      const { dayStart } = this.#left;
      this.#left = { ...kept, untilMs };
      this.#kept = { day: today, dayStart, peak: maxFixed(kept.peak, total) };
      return true;
    }
    const isNewDay = today > kept.day;
    // A clock that goes back past midnight begins no day. One that is further back shows that the kept day was read from a wrong clock.
    const day = isNewDay || today < kept.day - 1 ? today : kept.day;
    if (day === kept.day && total <= kept.peak) return false;
    const dayStart = isNewDay ? total : kept.dayStart;
    if (day !== kept.day) this.#left = { ...kept, untilMs };
    this.#kept = { day, dayStart, peak: maxFixed(kept.peak, total) };
    return true;
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
    this.#left = undefined;
    this.mark(this.#total, nowMs);
  }

  saved(): CarriedBaseline | undefined {
    if (this.#kept === undefined) return undefined;
    const { day, dayStart, peak } = this.#kept;
    return {
      markets: this.markets,
      day,
      dayStart: fixedText(dayStart),
      peak: fixedText(peak),
    };
  }

  /** Continues with the count of an earlier run. `change`: the total over the present markets less that over the earlier ones. */
  restore({ day, dayStart, peak }: CarriedBaseline, change: Fixed = ZERO): void {
    const [start, highest] = [addFixed(fixed(dayStart), change), addFixed(fixed(peak), change)];
    this.#kept = { day, dayStart: start, peak: highest };
  }
}

/**
 * Whether a day goes on to which the clock returns from the day `from`: from days away always, from the day before or after at a later time
 * than it left.
 */
function returns(
  from: number,
  left: { readonly day: number; readonly untilMs: number },
  nowMs: number,
): boolean {
  if (Math.abs(left.day - from) > 1) return true;
  return left.day !== from && nowMs >= left.untilMs;
}

function since(now: Fixed | undefined, start: Fixed | undefined): Fixed | undefined {
  return now === undefined || start === undefined ? undefined : subFixed(now, start);
}
