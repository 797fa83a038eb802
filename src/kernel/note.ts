import type { BookSyncState } from "../book/book-sync.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { OrderRole } from "../orders/bracket.ts";
import type { ShownStatus } from "../orders/order-change.ts";
import type { DenyReason } from "../risk/reason.ts";

/** What the kernel tells its observers of one step: facts, never asked back. */
export type Note =
  | {
      readonly type: "placed";
      readonly intent: number;
      readonly strategy: string;
      readonly marketId: MarketId;
      readonly side: Side;
      readonly price: number;
      readonly quantity: Fixed;
      readonly replaces: boolean;
      /** By a modify: the note `cancelSent` of the same intent names the order that it replaces. */
      readonly byModify: boolean;
    }
  /** A stop order was sent. */
  | {
      readonly type: "stopPlaced";
      readonly intent: number;
      readonly strategy: string;
      readonly marketId: MarketId;
      readonly side: Side;
      /** The strategy's own name of it. */
      readonly name: string;
      readonly stopPrice: number;
      /** 0 for a market order. */
      readonly price: number;
      readonly quantity: Fixed;
    }
  /** A stop order or stop-loss leg fired. */
  | {
      readonly type: "triggered";
      readonly strategy: string;
      readonly intent: number;
      readonly orderId: OrderId | undefined;
      readonly role: OrderRole;
    }
  | {
      readonly type: "cancelSent";
      readonly intent: number;
      readonly strategy: string;
      readonly orderId: OrderId;
      readonly role: OrderRole;
      readonly reason: string;
    }
  | { readonly type: "kept"; readonly strategy: string; readonly count: number }
  | {
      readonly type: "orderChanged";
      readonly strategy: string;
      readonly marketId: MarketId;
      readonly side: Side;
      /** Of the placement. */
      readonly intent: number;
      readonly orderId: OrderId | undefined;
      readonly role: OrderRole;
      /** Limit price; 0 of a market order. */
      readonly price: number;
      /** Of a stop order and a stop-loss leg. */
      readonly stopPrice: number | undefined;
      /** What may still fill, base token. */
      readonly remaining: Fixed;
      readonly status: ShownStatus;
      /** The venue refused the placement with a readable answer. */
      readonly refused: boolean;
      readonly message: string;
    }
  | { readonly type: "fill"; readonly strategy: string; readonly fill: Fill }
  | {
      readonly type: "denied";
      readonly strategy: string;
      /** Of a stop order: its name. */
      readonly stop?: string;
      readonly side: Side;
      readonly price: number;
      readonly quantity: Fixed;
      readonly reason: DenyReason;
    }
  /** Why a side is not quoted, when that changes; `undefined` when it is quoted again. */
  | {
      readonly type: "quoteReason";
      readonly strategy: string;
      readonly side: Side;
      readonly reason: string | undefined;
    }
  | {
      readonly type: "bookState";
      readonly marketId: MarketId;
      readonly state: BookSyncState;
    }
  /** The live book was compared with a `depthSnapshot@` message of its id. */
  | { readonly type: "bookAudit"; readonly marketId: MarketId; readonly isSame: boolean }
  | {
      readonly type: "strategyFault";
      readonly strategy: string;
      readonly message: string;
    }
  | {
      readonly type: "warning";
      readonly code: string;
      readonly message: string;
    };
