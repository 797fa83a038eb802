import type { MarketId, OrderId } from "../domain/ids.ts";
import type { StopKind } from "../domain/command.ts";
import type { Side } from "../domain/side.ts";
import type { Tpsl } from "../domain/tpsl.ts";

/** Which of the two legs of an order with take profit and stop loss. */
export type LegKind = "takeProfit" | "stopLoss";

/** An order that an earlier run's journal left open, as plain data with amounts as decimal text. */
export interface RestoredOrder {
  readonly orderId: OrderId;
  readonly nonce: number;
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: number;
  /** Base token. */
  readonly quantity: string;
  /**
   * No report changes `quantity`: it is what we signed, or what the venue made of a replacement. Left out for legs, for a replacement whose
   * size the venue has not reported yet (D23).
   */
  readonly isSized?: true;
  /** The venue accepted or showed the order; left out otherwise. */
  readonly isAcknowledged?: true;
  /** What it has executed was doubted, and no list of fills that was requested since has come; left out otherwise. */
  readonly awaitsFills?: true;
  /** Base token, as far as the earlier run knew. */
  readonly executed: string;
  /** Trades that make up `executed`, so that they are not booked again when REST lists them. */
  readonly tradeIds: readonly string[];
  /** Only for an order with legs. */
  readonly tpsl?: Tpsl;
  /** Only for a leg: its order (`of`), its kind, and the price at which a stop loss fires. */
  readonly leg?: {
    readonly of: OrderId;
    readonly kind: LegKind;
    readonly stopPrice?: number | undefined;
  };
  /** Only for a stop order. */
  readonly stop?: {
    readonly name: string;
    readonly kind: StopKind;
    readonly stopPrice: number;
  };
}
