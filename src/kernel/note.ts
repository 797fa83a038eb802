import type { BookSyncState } from "../book/book-sync.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { OrderRole, OrderUpdate } from "../orders/order-snapshot.ts";
import type { DenyReason } from "../risk/reason.ts";

/** What the kernel tells its observers of one step: facts, never asked back. */
export type Note =
  /** An order of ours changed, once a step at most: the order as it stands after the step. */
  | ({ readonly type: "order"; readonly strategy: string } & OrderUpdate)
  | { readonly type: "kept"; readonly strategy: string; readonly count: number }
  | {
      readonly type: "fill";
      readonly strategy: string;
      /** Intent and role of the order that was filled. */
      readonly intent: number;
      readonly role: OrderRole;
      readonly fill: Fill;
    }
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
