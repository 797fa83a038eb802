import type { CommandOutcome } from "../domain/command.ts";
import type { Address, OrderId } from "../domain/ids.ts";
import type { OrderReport } from "../domain/order.ts";
import type { VenueAdapter } from "../gateway/venue-adapter.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Log } from "../ports/log.ts";
import { nonceExpiresMs, sendLastCancels } from "../runtime/last-cancels.ts";
import { RequestPace } from "../runtime/request-pace.ts";
import { steadyClock } from "../runtime/steady-clock.ts";
import type { HeldCancels } from "./held-cancels.ts";

export interface CancelHeldOptions {
  readonly held: HeldCancels;
  readonly owner: Address;
  /** Where the bot trades: orders of other markets are not its own. */
  readonly marketIds: readonly string[];
  readonly adapter: Pick<VenueAdapter, "clock" | "submit" | "fetchOrder" | "fetchOpenOrders">;
  readonly rateLimit: { readonly perSecond: number; readonly burst: number };
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** How long the venue may accept a time nonce. */
  readonly windowMs: number;
  /** A request that was open when the bot fell silent arrives no later than this. */
  readonly inFlightMs: number;
  /** The venue's clock minus ours by the venue's time that the bot last said; undefined when it did not. */
  readonly venueOffsetMs: number | undefined;
  /** When the bot's last message came, our clock. */
  readonly lastMessageMs: number;
}

/** What became of the orders of a bot that fell silent. */
export interface CanceledOrders {
  /** Number of orders for which the guard held a cancel. */
  readonly held: number;
  /** Held orders that are open, or whose end could not be proven, and open ones of the bot without a cancel. */
  readonly left: readonly OrderId[];
  /** Open orders of the bot's markets that appeared when it fell silent and for which the guard holds no cancel. */
  readonly unheld: readonly OrderId[];
  /** False when the venue did not list the account's open orders. */
  readonly isListed: boolean;
}

/** Time limit of the reading of the venue's clock. */
const CLOCK_QUERY_MS = 1_000;
/** After the last nonce has expired, an answer about its order may take this long. */
const AFTER_EXPIRY_MS = 5_000;
/** Time limit of the reading of the open orders. */
const LIST_MS = 10_000;
/** The bot would have handed over the cancel of an order that is older than this when it falls silent. */
const HANDOVER_MS = 3_000;

/**
 * Sends every held cancel, again and again while the venue cannot be reached and its nonce may be accepted, and queries each order until
 * its end is proven. Then reads the account's open orders.
 */
export async function cancelHeld(options: CancelHeldOptions): Promise<CanceledOrders> {
  const { held, adapter, timer, log, windowMs } = options;
  // Nonces expire by it for a minute and more, in which the machine's clock may be set.
  const clock = steadyClock(options.clock);
  const { waitForToken } = new RequestPace(options.rateLimit, { clock, timer });
  await waitForToken();
  const offsetMs = await adapter.clock.read({ timeoutMs: CLOCK_QUERY_MS, waitForToken }).then(
    (time) => time.offsetMs,
    () => options.venueOffsetMs,
  );
  const expiresMs = nonceExpiresMs(windowMs, offsetMs);
  const orders = held.orders();
  const orderOf = new Map<OrderId, OrderId>();
  const left = await sendLastCancels({
    orders,
    clock,
    timer,
    waitForToken,
    landedMs: options.inFlightMs,
    roundsMs: windowMs + AFTER_EXPIRY_MS,
    expiresMs,
    cancelOf(orderId) {
      const signed = held.cancelOf(orderId);
      if (signed === undefined || expiresMs(signed.nonce) <= clock.nowMs()) return undefined;
      orderOf.set(signed.txHash, orderId);
      return signed;
    },
    async submit(signed) {
      const outcome = await adapter.submit("cancel", signed);
      log.info({ orderId: orderOf.get(signed.txHash), ...outcomeFields(outcome) }, "cancel sent");
      return outcome;
    },
    query: (orderId) => adapter.fetchOrder(orderId),
  });
  const listed = await listOpen(options, waitForToken);
  if (listed === undefined) return { held: orders.length, left, unheld: [], isListed: false };
  const own = new Set([...orders.map(({ orderId }) => orderId), ...held.uncovered]);
  const open = listed.filter(({ orderId }) => own.has(orderId)).map(({ orderId }) => orderId);
  const sinceMs = options.lastMessageMs + (offsetMs ?? 0) - HANDOVER_MS;
  const unheld = listed.filter(
    ({ orderId, marketId, createdAtMs }) =>
      !own.has(orderId) && options.marketIds.includes(marketId) && createdAtMs >= sinceMs,
  );
  return {
    held: orders.length,
    left: [...new Set([...left, ...open])],
    unheld: unheld.map(({ orderId }) => orderId),
    isListed: true,
  };
}

function outcomeFields(outcome: CommandOutcome) {
  return "message" in outcome
    ? { outcome: outcome.type, message: outcome.message }
    : { outcome: outcome.type };
}

/** Undefined when the venue does not answer. */
async function listOpen(
  { adapter, owner, lastMessageMs }: CancelHeldOptions,
  waitForToken: () => Promise<void>,
): Promise<readonly OrderReport[] | undefined> {
  try {
    return await adapter.fetchOpenOrders({
      owner,
      oldestOwnMs: lastMessageMs,
      limitMs: LIST_MS,
      waitForToken,
    });
  } catch {
    // The adapter has logged each failed attempt.
    return undefined;
  }
}
