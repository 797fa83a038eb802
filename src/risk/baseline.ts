import {
  addFixed,
  type Fixed,
  fixed,
  fixedText,
  maxFixed,
  subFixed,
  ZERO,
} from "../domain/fixed.ts";
import type { MarketId, TokenId } from "../domain/ids.ts";
import type { CarriedBaseline } from "../orders/carried.ts";
import { DayStart } from "../orders/day-start.ts";

/** From where losses of one scope are counted: total PnL in quote token, after fees, at the mid. */
export class RiskBaseline {
  /** The newest total; undefined while it cannot be valued. */
  #total: Fixed | undefined;
  #session: Fixed | undefined;
  /** The total is over these. */
  readonly markets: readonly MarketId[];
  readonly #day = new DayStart();
  #peak: Fixed | undefined;

  /** Currency in which the bot's total counts; undefined: in the quote token. */
  readonly currency: TokenId | undefined;

  /** `markets`: those of the total. */
  constructor(markets: readonly MarketId[], currency?: TokenId) {
    this.markets = markets;
    this.currency = currency;
  }

  /** Values the scope. Returns true when what the next run has to know has changed. `nowMs`: Unix time by the clock that begins days. */
  mark(total: Fixed | undefined, nowMs: number): boolean {
    this.#total = total;
    if (total === undefined) return false;
    this.#session ??= total;
    const isNewDay = this.#day.follow(nowMs, () => total);
    const before = this.#peak;
    this.#peak = before === undefined ? total : maxFixed(before, total);
    return isNewDay || this.#peak !== before;
  }

  get sessionPnl(): Fixed | undefined {
    return since(this.#total, this.#session);
  }

  get dayPnl(): Fixed | undefined {
    return since(this.#total, this.#day.start);
  }

  get drawdown(): Fixed | undefined {
    return since(this.#peak, this.#total);
  }

  /** Counts losses from the present total on. */
  rebase(nowMs: number): void {
    this.#session = undefined;
    this.#peak = undefined;
    this.#day.clear();
    this.mark(this.#total, nowMs);
  }

  saved(): CarriedBaseline | undefined {
    const day = this.#day.saved();
    if (day === undefined || this.#peak === undefined) return undefined;
    const { markets, currency } = this;
    return {
      markets,
      ...(currency === undefined ? {} : { currency }),
      ...day,
      peak: fixedText(this.#peak),
    };
  }

  /** Continues with the count of an earlier run. `change`: the total over the present markets less that over the earlier ones. */
  restore({ peak, ...day }: CarriedBaseline, change: Fixed = ZERO): void {
    this.#day.restore(day, change);
    this.#peak = addFixed(fixed(peak), change);
  }
}

function since(now: Fixed | undefined, start: Fixed | undefined): Fixed | undefined {
  return now === undefined || start === undefined ? undefined : subFixed(now, start);
}
