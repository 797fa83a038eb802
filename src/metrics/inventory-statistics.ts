import { Decimal, decimalOf } from "../domain/decimal.ts";
import {
  absFixed,
  addFixed,
  fixedToNumber,
  maxFixed,
  minFixed,
  ZERO,
  type Fixed,
} from "../domain/fixed.ts";
import { HOUR_MS } from "../domain/time.ts";

/** How a strategy held inventory: base token that its own fills left, net of fees. */
export interface InventoryFigures {
  /** Means over time. */
  readonly mean: Decimal;
  readonly meanAbsolute: Decimal;
  /** The longest and the shortest position; 0 when it was never on that side. */
  readonly max: Fixed;
  readonly min: Fixed;
  /** Share of the time in which another quote would have gone beyond `maxPosition`; undefined without that limit. */
  readonly timeAtLimit: number | undefined;
  /** Undefined when the position does not return to its mean, and for a short run. */
  readonly halfLifeMs: number | undefined;
  /** Filled base ÷ mean absolute position, per hour; undefined when the position was always 0. */
  readonly turnoverPerHour: number | undefined;
}

/** With fewer samples no half-life is estimated. */
const LEAST_SAMPLES = 10;

/**
 * Measures a position over time. Means and the time at the limit are exact integrals, since a position changes only by fills. The
 * half-life is that of an Ornstein–Uhlenbeck process through equally spaced samples x: with φ the slope of the regression of xₜ₊₁ on xₜ,
 *
 *   half-life = −ln 2 / ln φ · interval          for 0 < φ < 1
 */
export class InventoryStatistics {
  readonly #limit: Fixed | undefined;
  readonly #intervalMs: number;
  #startMs: number | undefined;
  #nowMs = 0;
  #base: Fixed = ZERO;
  #quoteSize: Fixed = ZERO;
  #traded: Fixed = ZERO;
  #max: Fixed = ZERO;
  #min: Fixed = ZERO;
  #limitMs = 0;
  /** Integrals of the position and its size over time: base × ms. */
  #sum = new Decimal(0);
  #sizes = new Decimal(0);
  /** Sums of the regression. */
  readonly #slope = { n: 0, x: 0, y: 0, xx: 0, xy: 0 };
  #sample: number | undefined;

  /** `limit`: `maxPosition` of the market, if it has one. `intervalMs`: time between two calls of `sample`. */
  constructor(limit: Fixed | undefined, intervalMs: number) {
    this.#limit = limit;
    this.#intervalMs = intervalMs;
  }

  /** Moves the time to `nowMs` while the position stays as it is. The first call begins the measurement. */
  advance(nowMs: number): void {
    const passedMs = nowMs - (this.#startMs === undefined ? nowMs : this.#nowMs);
    this.#startMs ??= nowMs;
    this.#nowMs = Math.max(this.#nowMs, nowMs);
    if (passedMs <= 0) return;
    const size = absFixed(this.#base);
    if (size > ZERO) {
      this.#sum = this.#sum.plus(decimalOf(this.#base).times(passedMs));
      this.#sizes = this.#sizes.plus(decimalOf(size).times(passedMs));
    }
    if (this.#limit !== undefined && addFixed(size, this.#quoteSize) > this.#limit) {
      this.#limitMs += passedMs;
    }
  }

  /** Sets the size of the newest quote, against which the room below the limit is measured. */
  quoted(size: Fixed, nowMs: number): void {
    if (size === this.#quoteSize) return;
    this.advance(nowMs);
    this.#quoteSize = size;
  }

  /** Sets the position after a fill of `quantity`. */
  fill(base: Fixed, quantity: Fixed, nowMs: number): void {
    this.advance(nowMs);
    this.#base = base;
    this.#traded = addFixed(this.#traded, quantity);
    this.#max = maxFixed(this.#max, base);
    this.#min = minFixed(this.#min, base);
  }

  /** Adds the current position as the next sample of the half-life. */
  sample(): void {
    const y = fixedToNumber(this.#base);
    const x = this.#sample;
    this.#sample = y;
    if (x === undefined) return;
    const slope = this.#slope;
    slope.n += 1;
    slope.x += x;
    slope.y += y;
    slope.xx += x * x;
    slope.xy += x * y;
  }

  /** The figures up to `nowMs`. */
  at(nowMs: number): InventoryFigures {
    this.advance(nowMs);
    const lengthMs = nowMs - (this.#startMs ?? nowMs);
    const divisor = Math.max(1, lengthMs);
    const meanAbsolute = this.#sizes.div(divisor);
    const perHour = fixedToNumber(this.#traded) / (divisor / HOUR_MS);
    return {
      mean: this.#sum.div(divisor),
      meanAbsolute,
      max: this.#max,
      min: this.#min,
      timeAtLimit:
        this.#limit === undefined || lengthMs === 0 ? undefined : this.#limitMs / lengthMs,
      halfLifeMs: this.#halfLifeMs(),
      turnoverPerHour: meanAbsolute.isZero() ? undefined : perHour / meanAbsolute.toNumber(),
    };
  }

  #halfLifeMs(): number | undefined {
    const { n, x, y, xx, xy } = this.#slope;
    const spread = n * xx - x * x;
    if (n < LEAST_SAMPLES || !(spread > 0)) return undefined;
    const phi = (n * xy - x * y) / spread;
    return phi > 0 && phi < 1 ? (-Math.LN2 / Math.log(phi)) * this.#intervalMs : undefined;
  }
}
