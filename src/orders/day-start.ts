import { addFixed, type Fixed, fixed, fixedText, ZERO } from "../domain/fixed.ts";
import { DAY_MS } from "../domain/time.ts";
import type { CarriedDay } from "./carried.ts";

/** The day of a Unix time: UTC days since 1970. */
export function dayOf(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS);
}

/**
 * Where the UTC day of a running total began. A clock that goes back past midnight begins no day, and a clock that was wrong for a while
 * returns to the day that it left.
 */
export class DayStart {
  #kept: { readonly day: number; readonly start: Fixed } | undefined;
  /** The day before the kept one, and its latest time. */
  #left: { readonly day: number; readonly start: Fixed; readonly untilMs: number } | undefined;
  #followedMs = Number.NEGATIVE_INFINITY;

  /** Returns true when another day counts from now on. `total` is called when a day begins. */
  follow(nowMs: number, total: () => Fixed): boolean {
    const untilMs = this.#followedMs;
    this.#followedMs = nowMs;
    const today = dayOf(nowMs);
    const kept = this.#kept;
    if (kept === undefined) {
      this.#kept = { day: today, start: total() };
      return true;
    }
    if (this.#left?.day === today && returns(kept.day, this.#left, nowMs)) {
      const { start } = this.#left;
      this.#left = { ...kept, untilMs };
      this.#kept = { day: today, start };
      return true;
    }
    const isNewDay = today > kept.day;
    // A clock that is further back than a day shows that the kept day was read from a wrong clock.
    const day = isNewDay || today < kept.day - 1 ? today : kept.day;
    if (day === kept.day) return false;
    this.#left = { ...kept, untilMs };
    this.#kept = { day, start: isNewDay ? total() : kept.start };
    return true;
  }

  /** The total with which the day began; undefined before the first valuation. */
  get start(): Fixed | undefined {
    return this.#kept?.start;
  }

  /** The day that counts, in days since 1970. */
  get day(): number | undefined {
    return this.#kept?.day;
  }

  clear(): void {
    this.#kept = undefined;
    this.#left = undefined;
  }

  saved(): CarriedDay | undefined {
    if (this.#kept === undefined) return undefined;
    return { day: this.#kept.day, dayStart: fixedText(this.#kept.start) };
  }

  /** Continues with the day of an earlier run. `change`: of what the total is, since then. */
  restore({ day, dayStart }: CarriedDay, change: Fixed = ZERO): void {
    this.#kept = { day, start: addFixed(fixed(dayStart), change) };
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
