import { Decimal } from "../domain/decimal.ts";
import { fixedFromNumber, UNIT } from "../domain/fixed.ts";
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
  /** Sums of products of two `Fixed`, which are exact. */
  #spread = 0n;
  #fees = 0n;

  constructor(market: Market) {
    this.position = new Position(market);
  }

  /** Adds a fill. Before the first mid the fill's own price is used, so it earns no spread. */
  fill(fill: Fill, mid: number | undefined): void {
    const { price, quantity, side, fee, feeToken } = fill;
    const atMid = mid === undefined ? price : fixedFromNumber(mid);
    this.#spread += (side === "BUY" ? atMid - price : price - atMid) * quantity;
    const { baseToken, quoteToken } = this.position.market;
    if (feeToken === baseToken) this.#fees -= fee * atMid;
    else if (feeToken === quoteToken) this.#fees -= fee * UNIT;
    this.position.apply(fill);
  }

  /** The PnL parts with the position valued at `mid`. */
  at(mid: Decimal): PnlParts {
    const total = this.position.totalPnl(mid);
    const [spread, fees] = [sumOf(this.#spread), sumOf(this.#fees)];
    return { spread, inventory: total.minus(spread).minus(fees), fees, total };
  }
}

/** Two `Fixed` count units of 10^-26 each. */
function sumOf(products: bigint): Decimal {
  return new Decimal(`${products}e-52`);
}
