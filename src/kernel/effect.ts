import type { Resolution } from "../domain/candle.ts";
import type { Command } from "../domain/command.ts";
import type { StreamChannel } from "../domain/stream-channel.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";
import type { RestoredOrder } from "../orders/restored-order.ts";

/**
 * A cancel that is signed for a guard process and never sent by the bot. Its nonce belongs to it alone, so the guard may send it at any
 * time until the venue refuses the nonce (D6).
 */
export interface StandbyCancel {
  readonly type: "standby";
  readonly nonce: number;
  readonly strategy: string;
  /** Intent of the command that made the order; negative for orders of earlier runs. */
  readonly intent: number;
  /** Undefined for an order that a command of this step makes: its id is the hash of that command. */
  readonly orderId: OrderId | undefined;
  /** Nonce of the placing transaction, 0 when unknown. */
  readonly orderNonce: number;
  /** The venue has accepted or shown the order. */
  readonly isAcknowledged: boolean;
}

/** What the driver has to do, as plain data, in this order. Every effect that makes an HTTP request has its rate token already. */
export type Effect =
  | Command
  | Read
  | StandbyCancel
  /** This many of the requests that wait for a rate token (input `tokenWanted`) get one, oldest first. */
  | { readonly type: "tokens"; readonly count: number }
  /** Unsubscribe from one channel and subscribe again, without losing the others. The input `resubscribed` follows, unless the connection is replaced meanwhile. */
  | { readonly type: "resubscribe"; readonly channel: StreamChannel }
  /** Replace the stream's connection. */
  | { readonly type: "reconnect"; readonly reason: string }
  /** An open order that a power cut removed from the journal, or that an operator takes over, is ours from now on. The journal keeps it with this effect. */
  | { readonly type: "adopt"; readonly order: RestoredOrder }
  | {
      readonly type: "finished";
      readonly ok: boolean;
      readonly reason: string;
      /** What ended a failed run, for programs, where it has a name of its own. */
      readonly code?: string;
    };

/** A REST query. Its response comes back as the input of the same name, or as `readFailed`. */
export type Read =
  | { readonly type: "book"; readonly marketId: MarketId }
  | { readonly type: "order"; readonly orderId: OrderId }
  /** All open orders of the account, all pages. `sinceMs`: created since then, venue time; left out: within the default span (D15). */
  | { readonly type: "openOrders"; readonly sinceMs?: number }
  /** Own fills since this time, venue time, all pages (§4.2 order/trade). */
  | { readonly type: "fills"; readonly sinceMs: number }
  | { readonly type: "balances" }
  /** The newest transfers of the account since this time, venue time, one page (§4.1). */
  | { readonly type: "transfers"; readonly sinceMs: number }
  | { readonly type: "markets" }
  /** A market's candles that start at `fromMs` or later, venue time, the open one included. */
  | {
      readonly type: "candles";
      readonly marketId: MarketId;
      readonly resolution: Resolution;
      readonly fromMs: number;
    }
  /** The newest public trades of a market. */
  | { readonly type: "trades"; readonly marketId: MarketId; readonly limit: number }
  | { readonly type: "venueTime" };
