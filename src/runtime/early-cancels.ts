import type { TimerHandle } from "../ports/clock.ts";
import { LastRecords } from "../journal/last-records.ts";
import type { VenueAdapter, VenueCommandSigner } from "../gateway/venue-adapter.ts";
import type { Restored } from "../kernel/input.ts";
import { type OpenOrder, nonceExpiresMs, sendLastCancels, signedCancels } from "./last-cancels.ts";
import { LastNonces } from "./last-nonces.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";

export interface EarlyCancelsOptions {
  readonly settings: Pick<LiveSettings, "journal" | "timing">;
  readonly ports: Pick<LivePorts, "clock" | "timer" | "log" | "store" | "signer">;
  readonly adapter: Pick<VenueAdapter, "submit" | "fetchOrder">;
  readonly commandSigner: VenueCommandSigner;
  readonly nonceWindowMs: number | undefined;
  /** What earlier runs left. */
  readonly past: Restored;
  waitForToken(): Promise<void>;
}

/** The orders of an earlier run may rest for this long while the start waits for the venue, as the default of `staleBook` allows. */
const WAIT_MS = 10_000;

/**
 * Resolves with what `start` does, and the highest nonce used by then. When the start takes longer than 10 s, for example because the venue
 * asks to wait, the orders of earlier runs are canceled meanwhile: no kernel manages them yet. Each cancel is in the journal before it is sent,
 * unless the journal cannot be written.
 */
export async function cancelWhileWaiting<Value>(
  start: Promise<Value>,
  options: EarlyCancelsOptions,
): Promise<{ readonly value: Value; readonly nonceHighWater: number }> {
  const { past, ports } = options;
  const wait = { isOver: false };
  let canceling: Promise<number> | undefined;
  let limit: TimerHandle | undefined;
  if (past.orders.length > 0) {
    limit = ports.timer.after(WAIT_MS, () => {
      canceling = cancelPast(options, wait);
    });
  }
  try {
    const value = await start;
    wait.isOver = true;
    return { value, nonceHighWater: (await canceling) ?? past.nonceHighWater };
  } finally {
    wait.isOver = true;
    limit?.cancel();
    await canceling;
  }
}

/** Cancels until each order's end is proven or the wait is over. Resolves with the highest nonce used. */
async function cancelPast(
  { settings, ports, adapter, commandSigner, past, ...options }: EarlyCancelsOptions,
  wait: { readonly isOver: boolean },
): Promise<number> {
  const { clock, timer, log, store, signer } = ports;
  const { venueOffsetMs, nonceHighWater } = past;
  const nonces = new LastNonces(clock, nonceHighWater, [venueOffsetMs]);
  const records = new LastRecords(store, settings.journal.path);
  const cancels = signedCancels({
    nonces,
    sign: (command) => commandSigner.sign(command),
    record(signed) {
      const message = "the venue kept the next start waiting";
      const highest = { nowMs: clock.nowMs(), nonceHighWater: nonces.highWater };
      records.crash({ message, ...highest, signed: [signed] }, signer.address);
    },
  });
  let orders: readonly OpenOrder[] = past.orders.map(({ orderId, nonce, isAcknowledged }) => ({
    orderId,
    nonce,
    isAcknowledged: isAcknowledged === true,
  }));
  log.warn(
    { code: "EARLY_CANCELS", orders: orders.length },
    "the venue keeps the start waiting: canceling the orders of earlier runs",
  );
  try {
    while (orders.length > 0 && !wait.isOver) {
      const left = await sendLastCancels({
        orders,
        clock,
        timer,
        waitForToken: options.waitForToken,
        landedMs: settings.timing.inFlightMs,
        expiresMs: nonceExpiresMs(options.nonceWindowMs, venueOffsetMs),
        isOver: () => wait.isOver,
        cancels,
        submit: (signed) => adapter.submit("cancel", signed),
        query: (orderId) => adapter.fetchOrder(orderId),
      });
      orders = orders.filter(({ orderId }) => left.includes(orderId));
    }
  } catch (thrown) {
    // A signer that fails, for example: the start has to go on all the same.
    log.error({ err: thrown }, "orders of earlier runs could not be canceled");
  } finally {
    records.close();
  }
  return nonces.highWater;
}
