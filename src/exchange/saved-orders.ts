import { assert } from "../base/assert.ts";
import type { MarketId } from "../domain/ids.ts";
import { isTerminal } from "../domain/order.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { Ledger } from "./ledger.ts";
import { type Order, orderOfRow, type SavedOrder } from "./order.ts";

/** The orders of a saved state while it is read: each is one object, however many parts name it. */
export class SavedOrders {
  readonly #ledger: Ledger;
  readonly #market: (marketId: MarketId) => ExchangeMarket;
  readonly #read = new Map<number, Order>();

  constructor(ledger: Ledger, market: (marketId: MarketId) => ExchangeMarket) {
    this.#ledger = ledger;
    this.#market = market;
  }

  readonly read = (row: SavedOrder): Order => {
    const [address, marketId] = row;
    const order = orderOfRow(row, this.#ledger.account(address), this.#market(marketId).market);
    this.#read.set(order.recordId, order);
    return order;
  };

  /** An order that was read before, by its record id. */
  readonly find = (recordId: number): Order => {
    const found = this.#read.get(recordId);
    assert(found !== undefined, "a resting order is among the open orders");
    return found;
  };

  /** Has the stop orders wait in their markets again. Call it last. */
  armStops(): void {
    for (const order of this.#read.values()) {
      const { trigger } = order;
      if (trigger?.state !== "waiting" || isTerminal(order.status)) continue;
      trigger.state = "idle";
      this.#market(order.market.marketId).stops.add(order);
    }
  }
}
