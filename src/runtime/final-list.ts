import type { Address } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import { listOpenOrders, type CallEndpoint } from "../gateway/account-lists.ts";
import { orderFrom } from "../gateway/from-wire.ts";
import type { Log } from "../ports/log.ts";
import { listWindow } from "../spec/limits.ts";

export interface FinalListOptions {
  /** Asks until it has an answer or the time is over. */
  readonly call: CallEndpoint;
  readonly owner: Address;
  readonly venueNowMs: number;
  /** When the oldest order of our own came to be, venue time: as far back the list has to reach. */
  readonly oldestOwnMs: number;
  readonly log: Log;
}

/**
 * All open orders of the account, as far back as the venue keeps them, each window asked for at once (D15). Rejects when the part
 * that may hold orders of ours did not come; without the older rest it is warned that foreign orders may be left out.
 */
export async function fetchAllOpenOrders({
  call,
  owner,
  venueNowMs,
  oldestOwnMs,
  log,
}: FinalListOptions): Promise<readonly OrderReport[]> {
  const { defaultSpanMs, maxSpanMs, historyMs } = listWindow;
  const list = (window: { readonly sinceMs?: number; readonly untilMs?: number }) =>
    listOpenOrders(call, { address: owner, venueNowMs, ...window });
  const parts = [list({})];
  for (
    let untilMs = venueNowMs - defaultSpanMs;
    untilMs > venueNowMs - historyMs;
    untilMs -= maxSpanMs
  ) {
    const part = list({ sinceMs: Math.max(0, untilMs - maxSpanMs), untilMs });
    parts.push(
      oldestOwnMs <= untilMs ? part : part.catch((thrown: unknown) => leftOut(log, thrown)),
    );
  }
  const orders = new Map<string, OrderReport>();
  for (const row of (await Promise.all(parts)).flat()) {
    const order = orderFrom(row);
    orders.set(order.orderId, order);
  }
  return [...orders.values()];
}

function leftOut(log: Log, thrown: unknown): readonly [] {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  log.warn(
    { reason },
    "open orders older than 30 days could not be listed: foreign ones may be missing",
  );
  return [];
}
