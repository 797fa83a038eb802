import { type Fixed, fixedFromNumber } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import { syntheticHash } from "./order.ts";
import type { TradeRecord } from "./records.ts";

/** A public trade between recorded orders. Its exact quantity and the orders' ids are made when they are read, which is rare. */
export class RecordedPrint implements TradeRecord {
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly price: number;
  readonly timeMs: UnixMs;
  readonly isBuyerMaker: boolean;
  readonly #number: number;
  readonly #quantity: number;

  constructor(
    { market }: ExchangeMarket,
    number: number,
    price: number,
    quantity: number,
    timeMs: UnixMs,
    isBuyerMaker: boolean,
  ) {
    this.marketId = market.marketId;
    this.tradeId = String(number);
    this.#number = number;
    this.price = price;
    this.#quantity = quantity;
    this.timeMs = timeMs;
    this.isBuyerMaker = isBuyerMaker;
  }

  get quantity(): Fixed {
    return fixedFromNumber(this.#quantity);
  }

  get buyOrderId(): string {
    return syntheticHash("print", 2 * this.#number);
  }

  get sellOrderId(): string {
    return syntheticHash("print", 2 * this.#number + 1);
  }
}
