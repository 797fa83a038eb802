import type { BookSyncState } from "../book/book-sync.ts";
import type { StreamChannel } from "../domain/stream-channel.ts";
import type { Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { RiskStep } from "../domain/risk-step.ts";
import type { Fill } from "../domain/order.ts";
import type { Side } from "../domain/side.ts";
import type { BalanceDrift } from "../orders/balance-ledger.ts";
import type { LimitPlace } from "../orders/carried.ts";
import type { OrderRole, OrderUpdate } from "../orders/order-snapshot.ts";
import type { DenyReason } from "../risk/reason.ts";
import type { DoubtCode } from "./impossible/doubt-state.ts";

/** A fact about one step, for observers. */
export type Note =
  /** An order of ours changed: its state after the step. At most one note an order and step. */
  | ({ readonly type: "order"; readonly strategy: string } & OrderUpdate)
  /** The targets that orders were compared with: `kept` has the target price of each order that stays; `tolerance` is a share of `mid`. */
  | {
      readonly type: "planned";
      readonly strategy: string;
      readonly marketId: MarketId;
      readonly mid: number;
      readonly tolerance: number;
      readonly kept: readonly { readonly intent: number; readonly price: number }[];
    }
  | {
      readonly type: "fill";
      readonly strategy: string;
      /** Intent and role of the order that was filled. */
      readonly intent: number;
      readonly role: OrderRole;
      readonly fill: Fill;
      /** Version of the strategy's parameters; 0 for a strategy that is gone. */
      readonly paramsVersion: number;
      /** The strategy's net position in the market after it, base token. */
      readonly position: Fixed;
      /** The mids of the strategy's other markets by id, without own orders, where they have one; left out with one market. */
      readonly mids?: Readonly<Record<string, number>>;
    }
  /** A person booked a trade; `position` as of `fill`. */
  | {
      readonly type: "bookedByHand";
      readonly strategy: string;
      readonly fill: Fill;
      readonly position: Fixed;
    }
  | {
      readonly type: "denied";
      readonly strategy: string;
      readonly marketId: MarketId;
      /** Name of a stop order. */
      readonly stop?: string;
      /** Name of a take. */
      readonly take?: string;
      readonly side: Side;
      readonly price: number;
      readonly quantity: Fixed;
      readonly reason: DenyReason;
    }
  /** The reason why a side is not quoted, or only in part, has changed; `undefined` when it is quoted in full. */
  | {
      readonly type: "quoteReason";
      readonly strategy: string;
      readonly marketId: MarketId;
      readonly side: Side;
      readonly reason: string | undefined;
      readonly inPart: boolean;
    }
  | {
      readonly type: "bookState";
      readonly marketId: MarketId;
      readonly state: BookSyncState;
    }
  /** The live book was compared with a `depthSnapshot@` message or a book over REST of the same update id. */
  | { readonly type: "bookAudit"; readonly marketId: MarketId; readonly isSame: boolean }
  /** A channel fell behind the venue, or delivers again. `sinceMs`: since when, our clock; the first sign came before the proof. */
  | {
      readonly type: "channel";
      readonly channel: StreamChannel;
      readonly state: "behind" | "live";
      readonly sinceMs: number;
      readonly reason: string;
    }
  /** Both messages of an own trade arrived. `lagMs`: by how much the user event came after the public trade; negative when before. */
  | { readonly type: "ownTrade"; readonly marketId: MarketId; readonly lagMs: number }
  /** A trigger of the risk ladder came to another step; `of` is the strategy, undefined for the whole bot. */
  | {
      readonly type: "risk";
      readonly of: string | undefined;
      readonly trigger: string;
      readonly step: RiskStep;
      /** `RISK_HALT` and so on. */
      readonly code: string;
      readonly message: string;
    }
  /** A limit that the configuration leaves unset was derived, or is kept from an earlier run. `of`: market or strategy; undefined for the whole bot. */
  | {
      readonly type: "limit";
      readonly code: "LIMIT_DERIVED" | "LIMIT_KEPT";
      readonly limit: LimitPlace["limit"];
      readonly of: string | undefined;
      readonly value: Fixed;
      readonly message: string;
    }
  /** What the risk ladder lets a strategy do has changed: the harder of its own step and the bot's. */
  | {
      readonly type: "riskStanding";
      readonly strategy: string;
      readonly step: RiskStep;
      readonly reason: string;
    }
  /**
   * `BALANCE_DRIFT`: a balance changed by more than is known to have happened. `BALANCE_CHANGED`: so it did while events may have
   * been missed, or only the list of transfers explains it. `total`: the token's drift of the run so far.
   */
  | ({
      readonly type: "balanceDrift";
      readonly code: "BALANCE_DRIFT" | "BALANCE_CHANGED";
      readonly message: string;
      readonly total: Fixed;
    } & BalanceDrift)
  /** An impossible statement of the venue. `count`: how many of this code there were in the run. */
  | {
      readonly type: "doubt";
      readonly code: DoubtCode;
      /** Undefined for statements about the account. */
      readonly marketId: MarketId | undefined;
      readonly count: number;
      readonly message: string;
    }
  /** The first guard process has connected, or the last one has gone. */
  | { readonly type: "guard"; readonly isConnected: boolean }
  /** A strategy has new parameters, their version from 1 on. */
  | { readonly type: "params"; readonly strategy: string; readonly version: number }
  | {
      readonly type: "strategyFault";
      readonly strategy: string;
      readonly message: string;
      /** Undefined when what it threw is no error. */
      readonly stack: string | undefined;
    }
  | {
      readonly type: "warning";
      readonly code: string;
      readonly message: string;
    };
