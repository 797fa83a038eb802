import { Decimal, decimalOf } from "../domain/decimal.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import { Position } from "../orders/position.ts";

/** Where the PnL came from, quote token; the three parts add up to `total` exactly. */
export interface PnlParts {
  readonly spread: Decimal;
  readonly inventory: Decimal;
  readonly fees: Decimal;
  /** Realised and unrealised PnL after fees, as `Position` has it. */
  readonly total: Decimal;
}

/**
 * Splits the PnL of fills in one market. For fill i of signed base quantity qᵢ (+ bought, − sold) at price pᵢ, with mid mᵢ
 * just before it, and M the mid at the end:
 *
 *   spread    = Σ (mᵢ − pᵢ) · qᵢ                   what quoting away from the mid earned
 *   fees      = −Σ (fee in quote + fee in base · mᵢ)
 *   inventory = total − spread − fees
 *             = Σ (qᵢ − fee in base) · (M − mᵢ)    what holding the base gained or lost as the mid moved
 *
 * A fee in a third token is in none of them (see Position).
 */
export class PnlAttribution {
  readonly position: Position;
  #spread = new Decimal(0);
  #fees = new Decimal(0);

  constructor(market: Market) {
    this.position = new Position(market);
  }

  /** Books one fill. Without any mid yet its own price stands in, so that it earned no spread. */
  fill(fill: Fill, mid: number | undefined): void {
    const price = decimalOf(fill.price);
    const atMid = mid === undefined ? price : new Decimal(mid);
    const gained = atMid.minus(price).times(decimalOf(fill.quantity));
    this.#spread = fill.side === "BUY" ? this.#spread.plus(gained) : this.#spread.minus(gained);
    const { baseToken, quoteToken } = this.position.market;
    const fee = decimalOf(fill.fee);
    if (fill.feeToken === baseToken) this.#fees = this.#fees.minus(fee.times(atMid));
    else if (fill.feeToken === quoteToken) this.#fees = this.#fees.minus(fee);
    this.position.apply(fill);
  }

  /** The split with what is held valued at `mid`. */
  at(mid: Decimal): PnlParts {
    const total = this.position.totalPnl(mid);
    const inventory = total.minus(this.#spread).minus(this.#fees);
    return { spread: this.#spread, inventory, fees: this.#fees, total };
  }
}
