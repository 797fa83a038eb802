import { errorText } from "../base/error-text.ts";
import type { Address } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { listWindow } from "../spec/limits.ts";
import { type CallEndpoint, listOpenOrders } from "./account-lists.ts";
import { orderFrom } from "./from-wire.ts";
import type { VenueClient } from "./venue-client.ts";
import type { VenueClock } from "./venue-clock.ts";
import { retryAfterOfError } from "./venue-error.ts";

export interface OpenOrdersOptions {
  readonly owner: Address;
  /** When our oldest order was created, by our clock. The list must reach back that far. */
  readonly oldestOwnMs: number;
  /** The list is given up after this long. */
  readonly limitMs: number;
  /** Awaited before each request. Left out: requests leave at once. */
  waitForToken?(): Promise<void>;
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
/** A longer `Retry-After` is not obeyed: the run is about to end. */
const RETRY_MAX_MS = 1_000;
/** Windows reach back this much further, since the clocks may differ a little. */
const MARGIN_MS = 60_000;

/**
 * All open orders of the account since our oldest was created, and of the last 30 days at least (D15). Repeats each request until it
 * succeeds or `limitMs` is over, then rejects.
 */
export async function fetchAllOpenOrders(
  options: FinalListOptions,
): Promise<readonly OrderReport[]> {
  const { client, venueClock, clock, owner } = options;
  const retry = retrier(options);
  const call: CallEndpoint = (endpoint, query) =>
    retry((timeoutMs) => client.call(endpoint, query, { timeoutMs }));
  // The last reading, since a venue whose clock fails may still list orders.
  const venueNowMs = venueClock.estimateMs();
  const offsetMs = venueNowMs - clock.nowMs();
  const { defaultSpanMs, maxSpanMs, historyMs } = listWindow;
  const oldestMs = Math.max(options.oldestOwnMs + offsetMs - MARGIN_MS, venueNowMs - historyMs);

  const list = (window: { readonly sinceMs?: number; readonly untilMs?: number }) =>
    listOpenOrders(call, { address: owner, venueNowMs, ...window });
  const parts = [list({})];
  for (let untilMs = venueNowMs - defaultSpanMs; untilMs > oldestMs; untilMs -= maxSpanMs) {
    parts.push(list({ sinceMs: Math.max(0, untilMs - maxSpanMs), untilMs }));
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
  waitForToken,
}: FinalListOptions): <Value>(request: (timeoutMs: number) => Promise<Value>) => Promise<Value> {
  const nowMs = (): number => clock.monotonicUs() / 1000;
  const deadlineMs = nowMs() + limitMs;
  return async (request) => {
    for (;;) {
      let waitMs = RETRY_MS;
      try {
        await waitForToken?.();
        return await request(Math.max(1, Math.min(REQUEST_MS, deadlineMs - nowMs())));
      } catch (thrown) {
        const reason = errorText(thrown);
        log.warn({ reason }, "the open orders could not be listed yet");
        waitMs = Math.min(Math.max(RETRY_MS, retryAfterOfError(thrown) ?? 0), RETRY_MAX_MS);
        if (nowMs() + waitMs >= deadlineMs) throw thrown;
      }
      await new Promise<void>((resolve) => {
        timer.after(waitMs, resolve);
      });
    }
  };
}
