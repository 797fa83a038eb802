import type { CommandOutcome } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import { isTerminal, type OrderReport } from "../domain/order.ts";
import { NonceExpiry } from "../orders/nonce-expiry.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { SignedCommand } from "../spec/sign-command.ts";
import { settlesWithin } from "./settles-within.ts";

/** An order that was open when the kernel crashed. */
export interface OpenOrder {
  readonly orderId: OrderId;
  /** The venue accepted or showed it, as far as is known: then its absence proves nothing. */
  readonly isAcknowledged?: boolean;
  /** Nonce of the placing transaction. */
  readonly nonce: number;
}

export interface LastCancelsOptions {
  readonly orders: readonly OpenOrder[];
  readonly clock: Clock;
  readonly timer: Timer;
  /** Resolves when the rate budget has a token for one more request, or once `isOver`: nothing is sent any more, so what follows need not wait. */
  waitForToken(isOver: () => boolean): Promise<void>;
  /** A placement whose request was open at the crash arrives at the venue no later than this. */
  readonly landedMs: number;
  /** Rounds go on for at most this long; left out: for a few seconds after `landedMs`. */
  readonly roundsMs?: number;
  /** The result is wanted after this time at the latest, and nothing is sent after it; left out: once the rounds are over. */
  readonly limitMs?: number;
  /** The cancels are not needed any more: no further round starts. Left out: never. */
  isOver?(): boolean;
  /** From when on, our clock, the venue refuses bytes with this nonce, so that they can make no order (D37). */
  expiresMs(nonce: number): number;
  /** The signed cancel of an order to send now; undefined when there is none that the venue may still accept. */
  cancelOf(orderId: OrderId): SignedCommand | undefined;
  submit(signed: SignedCommand): Promise<CommandOutcome>;
  /** Queries an order by id. Rejects when the venue gave no usable response. */
  query(orderId: OrderId): Promise<OrderReport | "absent">;
}

/** How far the venue's clock may be from its last reading. */
const CLOCK_DOUBT_MS = 1_000;
const ROUND_MS = 1_000;
/** A request without an answer for this long holds up nothing: the next round asks and cancels again. */
const ANSWER_MS = 1_500;
/** Rounds go on for this long after every placement has landed. */
const GRACE_MS = 3_000;

/** What is known of an order while it is canceled. */
interface Leaving extends OpenOrder {
  /** The venue accepted a cancel of it, and has not shown it open since. */
  isCancelAccepted: boolean;
}

/**
 * Cancels own orders after the kernel has crashed, again and again, and queries each by id. An order is settled when the venue shows
 * its end. One that the venue does not know is settled once a cancel of it was accepted, or when the venue never acknowledged it and its
 * nonce has expired. Resolves with the orders of which this could not be proven in time.
 */
export async function sendLastCancels(options: LastCancelsOptions): Promise<readonly OrderId[]> {
  const { orders, timer, limitMs } = options;
  const unproven = {
    orders: orders.map((order): Leaving => ({ ...order, isCancelAccepted: false })),
  };
  const time = { isUp: false };
  const over = sendRounds(unproven, options, time);
  await (limitMs === undefined ? over : Promise.race([over, pause(timer, limitMs)]));
  time.isUp = true;
  return unproven.orders.map(({ orderId }) => orderId);
}

/** Removes each order from `unproven` as soon as its end is proven. */
async function sendRounds(
  unproven: { orders: readonly Leaving[] },
  options: LastCancelsOptions,
  time: { readonly isUp: boolean },
): Promise<void> {
  const { clock, timer, landedMs, roundsMs = landedMs + GRACE_MS } = options;
  const elapsedMs = startOf(clock);
  while (unproven.orders.length > 0 && options.isOver?.() !== true) {
    const asked = unproven.orders;
    await cancelAll(asked, options, time);
    if (time.isUp) return;
    const sentMs = elapsedMs();
    const nowMs = clock.nowMs();
    const reports = new Map<OrderId, OrderReport | "absent">();
    await Promise.all(
      asked.map(async ({ orderId }) => {
        await options.waitForToken(() => time.isUp);
        if (time.isUp) return;
        const query = options.query(orderId).then((report) => reports.set(orderId, report));
        await settlesWithin(ANSWER_MS, query, timer).catch(() => undefined);
      }),
    );
    const left = asked.filter((order) => {
      const report = reports.get(order.orderId);
      if (report === "absent") {
        if (order.isCancelAccepted) return sentMs < landedMs;
        return order.isAcknowledged === true || nowMs < options.expiresMs(order.nonce);
      }
      if (report === undefined) return true;
      order.isCancelAccepted = false;
      return !isTerminal(report.status);
    });
    unproven.orders = left;
    if (elapsedMs() > roundsMs) break;
    if (left.length > 0) await pause(timer, ROUND_MS);
    if (time.isUp) return;
  }
}

/** `expiresMs` for a venue with this nonce window whose clock is `offsetMs` ahead of ours; undefined where that is not known. */
export function nonceExpiresMs(
  windowMs: number | undefined,
  offsetMs: number | undefined,
): (nonce: number) => number {
  const expiry = new NonceExpiry(windowMs ?? 0);
  if (offsetMs !== undefined) expiry.observe(offsetMs, CLOCK_DOUBT_MS);
  return (nonce) => expiry.expiresMs(nonce);
}

/** Sends a cancel for each order without an accepted one. */
async function cancelAll(
  orders: readonly Leaving[],
  options: LastCancelsOptions,
  time: { readonly isUp: boolean },
): Promise<void> {
  const open = orders.filter(({ isCancelAccepted }) => !isCancelAccepted);
  await Promise.all(
    open.map(async (order) => {
      const { orderId } = order;
      await options.waitForToken(() => time.isUp);
      if (time.isUp) return;
      const signed = options.cancelOf(orderId);
      if (signed === undefined) return;
      const send = async (): Promise<void> => {
        const { type } = await options.submit(signed);
        order.isCancelAccepted ||= type === "accepted";
      };
      await settlesWithin(ANSWER_MS, send(), options.timer);
    }),
  );
}

/** Whole milliseconds since this call. */
function startOf(clock: Clock): () => number {
  const startUs = clock.monotonicUs();
  return () => Math.floor((clock.monotonicUs() - startUs) / 1000);
}

function pause(timer: Timer, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timer.after(ms, resolve);
  });
}
