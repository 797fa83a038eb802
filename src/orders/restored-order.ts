import type { MarketId, OrderId } from "../domain/ids.ts";
import type { StopKind, TakeTerms } from "../domain/command.ts";
import type { Side } from "../domain/side.ts";
import { roleOf } from "./bracket.ts";
import type { LegKind } from "./order-snapshot.ts";
import type { Tpsl } from "../domain/tpsl.ts";

/** An order that an earlier run's journal left open, as plain data with amounts as decimal text. */
export interface RestoredOrder {
  readonly orderId: OrderId;
  readonly nonce: number;
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly side: Side;
  readonly price: number;
  /** Base token, as sent: the venue decides the size of a leg and of a replacement (D23, D25). */
  readonly quantity: string;
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
  /** Only for a take. */
  readonly take?: TakeTerms;
  /** Level of a quote, and of its legs, as it was placed. */
  readonly key?: string;
}

/** The part that a saved order plays. */
export function savedRole({ leg, stop, take }: Pick<RestoredOrder, "leg" | "stop" | "take">) {
  return roleOf({ leg: leg?.kind, stopName: stop?.name, take });
}
