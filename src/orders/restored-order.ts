import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";

/** An order that an earlier run's journal says is not over: plain data, amounts as decimal text. */
export interface RestoredOrder {
  readonly orderId: OrderId;
  readonly nonce: number;
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: number;
  /** Base token. */
  readonly quantity: string;
  /** Base token, what the earlier run knew of. */
  readonly executed: string;
  /** Trades that make up `executed`: when REST lists them again they are not booked a second time. */
  readonly tradeIds: readonly string[];
}
