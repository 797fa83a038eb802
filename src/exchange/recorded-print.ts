import { type Fixed, fixedFromNumber } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { UnixMs } from "../domain/time.ts";
import type { ExchangeMarket } from "./exchange-market.ts";
import type { TradeRecord } from "./records.ts";

/** A public trade between recorded orders. Its exact quantity is made when it is read, which is rare. */
export class RecordedPrint implements TradeRecord {
  readonly marketId: MarketId;
  readonly tradeId: string;
  readonly price: number;
  readonly buyOrderId = "";
  readonly sellOrderId = "";
  readonly timeMs: UnixMs;
  readonly isBuyerMaker: boolean;
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
    this.price = price;
    this.#quantity = quantity;
    this.timeMs = timeMs;
    this.isBuyerMaker = isBuyerMaker;
  }

  get quantity(): Fixed {
    return fixedFromNumber(this.#quantity);
  }
}
