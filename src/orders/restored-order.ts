import type { MarketId, OrderId } from "../domain/ids.ts";
import type { StopKind } from "../domain/command.ts";
import type { Side } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";

/** Which of the two legs of an order with take profit and stop loss. */
export type LegKind = "takeProfit" | "stopLoss";

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
  /** The venue had taken or shown it; left out where it had not. */
  readonly isAcknowledged?: true;
  /** Base token, what the earlier run knew of. */
  readonly executed: string;
  /** Trades that make up `executed`: when REST lists them again they are not booked a second time. */
  readonly tradeIds: readonly string[];
  /** Of an order with legs. */
  readonly tpsl?: Tpsl;
  /** Of a leg: of which order, and the price at which a stop loss fires. */
  readonly leg?: {
    readonly of: OrderId;
    readonly kind: LegKind;
    readonly stopPrice?: number | undefined;
  };
  /** Of a stop order. */
  readonly stop?: {
    readonly name: string;
    readonly kind: StopKind;
    readonly stopPrice: number;
  };
}
