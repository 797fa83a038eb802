import type { Address } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { listWindow } from "../spec/limits.ts";
import { type CallEndpoint, listOpenOrders } from "./account-lists.ts";
import { orderFrom } from "./from-wire.ts";
import type { VenueClient } from "./venue-client.ts";
import type { VenueClock } from "./venue-clock.ts";

export interface OpenOrdersOptions {
  readonly owner: Address;
  /** When our oldest order was created, by our clock. The list must reach back that far. */
  readonly oldestOwnMs: number;
  /** The list is given up after this long. */
  readonly limitMs: number;
}

interface FinalListOptions extends OpenOrdersOptions {
  readonly client: VenueClient;
  readonly venueClock: VenueClock;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
}

const REQUEST_MS = 2_000;
const RETRY_MS = 250;

/**
 * All open orders of the account, as far back as the venue keeps them (D15). Repeats each request until it succeeds or
 * `limitMs` is over. Rejects when a window that may hold our own orders fails; a failed older window only logs a warning.
 */
export async function fetchAllOpenOrders(
  options: FinalListOptions,
): Promise<readonly OrderReport[]> {
  const { client, venueClock, clock, owner, log } = options;
  const retry = retrier(options);
  const call: CallEndpoint = (endpoint, query) =>
    retry((timeoutMs) => client.call(endpoint, query, { timeoutMs }));
  const { offsetMs } = await retry((timeoutMs) => venueClock.read({ timeoutMs }));
  const venueNowMs = clock.nowMs() + offsetMs;
  const oldestOwnMs = options.oldestOwnMs + offsetMs;

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
      oldestOwnMs <= untilMs ? part : part.catch((thrown: unknown) => warnIncomplete(log, thrown)),
    );
  }
  const orders = new Map<string, OrderReport>();
  for (const row of (await Promise.all(parts)).flat()) {
    const order = orderFrom(row);
    orders.set(order.orderId, order);
  }
  return [...orders.values()];
}

/** Repeats a request until it succeeds or `limitMs` is over; passes the time-out of each attempt. */
function retrier({
  clock,
  timer,
  log,
  limitMs,
}: FinalListOptions): <Value>(request: (timeoutMs: number) => Promise<Value>) => Promise<Value> {
  const nowMs = (): number => clock.monotonicUs() / 1000;
  const deadlineMs = nowMs() + limitMs;
  return async (request) => {
    for (;;) {
      try {
        return await request(Math.max(1, Math.min(REQUEST_MS, deadlineMs - nowMs())));
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        log.warn({ reason }, "the open orders could not be listed yet");
        if (nowMs() + RETRY_MS >= deadlineMs) throw thrown;
      }
      await new Promise<void>((resolve) => {
        timer.after(RETRY_MS, resolve);
      });
    }
  };
}

function warnIncomplete(log: Log, thrown: unknown): readonly [] {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  log.warn(
    { reason },
    "open orders older than 30 days could not be listed: foreign ones may be missing",
  );
  return [];
}
