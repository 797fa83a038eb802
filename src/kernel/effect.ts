import type { Command } from "../domain/command.ts";
import type { MarketId, OrderId } from "../domain/ids.ts";

/** What to do, as plain data, in the order it is to be done. Every effect that makes an HTTP request has paid for its rate token. */
export type Effect =
  | Command
  | Read
  /** This many of the requests that wait for a rate token (input `tokenWanted`) have one now, the oldest first. */
  | { readonly type: "tokens"; readonly count: number }
  | {
      readonly type: "finished";
      readonly ok: boolean;
      readonly reason: string;
    };

/** A REST question; its answer comes back as the input of the same name, or as `readFailed`. */
export type Read =
  | { readonly type: "book"; readonly marketId: MarketId }
  | { readonly type: "order"; readonly orderId: OrderId }
  /** All of the account, all pages. `sinceMs`: created since then, venue time; left out: within the venue's default span (D15). */
  | { readonly type: "openOrders"; readonly sinceMs?: number }
  /** Own fills since this time (§4.2 order/trade), all pages. */
  | { readonly type: "fills"; readonly sinceMs: number }
  | { readonly type: "balances" }
  | { readonly type: "markets" }
  | { readonly type: "venueTime" };
