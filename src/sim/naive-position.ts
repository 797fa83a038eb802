import { addFixed, mulFixed, negFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";

/** What fills change of an account's base and quote token. It is written apart from `orders/position.ts`, which it judges. */
export class NaivePosition {
  base: Fixed = ZERO;
  quote: Fixed = ZERO;
  readonly #market: Pick<Market, "baseToken" | "quoteToken">;

  constructor(market: Pick<Market, "baseToken" | "quoteToken">) {
    this.#market = market;
  }

  apply({ side, price, quantity, fee, feeToken }: Fill): void {
    const paid = mulFixed(price, quantity);
    const isBuy = side === "BUY";
    this.base = addFixed(this.base, isBuy ? quantity : negFixed(quantity));
    this.quote = addFixed(this.quote, isBuy ? negFixed(paid) : paid);
    if (feeToken === this.#market.baseToken) this.base = subFixed(this.base, fee);
    if (feeToken === this.#market.quoteToken) this.quote = subFixed(this.quote, fee);
  }
}
