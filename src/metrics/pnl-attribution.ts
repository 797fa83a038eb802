import { Decimal, decimalOf } from "../domain/decimal.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import { Position } from "../orders/position.ts";

/** PnL by source, in quote token; spread, inventory and fees add up to `total` exactly. */
export interface PnlParts {
  readonly spread: Decimal;
  readonly inventory: Decimal;
  readonly fees: Decimal;
  /** Realised plus unrealised PnL after fees, as `Position` computes it. */
  readonly total: Decimal;
}

/**
 * Splits the PnL of fills in one market. For fill i of signed base quantity qᵢ (+ bought, − sold) at price pᵢ, with mid mᵢ
 * just before it and M the mid at the end:
 *
 *   spread    = Σ (mᵢ − pᵢ) · qᵢ                   earned by trading away from the mid
 *   fees      = −Σ (fee in quote + fee in base · mᵢ)
 *   inventory = total − spread − fees
 *             = Σ (qᵢ − fee in base) · (M − mᵢ)    gained or lost on held base as the mid moved
 *
 * A fee in a third token is in none of the parts (see `Position`).
 */
export class PnlAttribution {
  readonly position: Position;
  #spread = new Decimal(0);
  #fees = new Decimal(0);

  constructor(market: Market) {
    this.position = new Position(market);
  }

  /** Adds a fill. Before the first mid the fill's own price is used, so it earns no spread. */
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

  /** The PnL parts with the position valued at `mid`. */
  at(mid: Decimal): PnlParts {
    const total = this.position.totalPnl(mid);
    const inventory = total.minus(this.#spread).minus(this.#fees);
    return { spread: this.#spread, inventory, fees: this.#fees, total };
  }
}
