import type { TimerHandle } from "../ports/clock.ts";
import { LastRecords } from "../journal/last-records.ts";
import type { VenueAdapter, VenueCommandSigner } from "../gateway/venue-adapter.ts";
import type { Restored } from "../kernel/input.ts";
import type { LivePorts, LiveSettings } from "./live-settings.ts";
import type { RequestPace } from "./request-pace.ts";
import { readOffset, sendSignedCancels } from "./signed-cancels.ts";

export interface EarlyCancelsOptions {
  readonly settings: Pick<LiveSettings, "journal" | "timing">;
  readonly ports: Pick<LivePorts, "clock" | "timer" | "log" | "store" | "signer">;
  readonly adapter: Pick<VenueAdapter, "clock" | "submit" | "fetchOrder">;
  readonly commandSigner: VenueCommandSigner;
  readonly nonceWindowMs: number | undefined;
  /** What earlier runs left. */
  readonly past: Restored;
  /** For how long no bot has managed its orders, by our clock. */
  readonly unmanagedMs: number;
  readonly pace: Pick<RequestPace, "waitForToken" | "refilled">;
}

/** The orders of an earlier run may rest for this long while the start waits for the venue, as the default of `staleBook` allows. */
const PATIENCE_MS = 10_000;
/** A start that needs no longer than this goes on without cancels, however long ago the earlier run ended. */
const SHORT_START_MS = 1_000;
/** A start that fails takes this much longer for its cancels. */
const FAILED_START_MS = 5_000;

/** A start in two steps, since the cancels of its wait have to be over before its journal is opened. */
export interface EarlyStart<Reply, Begun> {
  /** What the venue is asked for. */
  readonly reply: Promise<Reply>;
  /** Begins the run. `past` has the highest nonce used by then. */
  begin(reply: Reply, past: Restored): Promise<Begun>;
}

/**
 * Resolves with what `begin` does. When no kernel has managed the orders of earlier runs for 10 s, for example because the venue asks to
 * wait or because starts fail again and again, they are canceled: while the start waits for the reply, or when either step has failed.
 * Each cancel is in the journal before it is sent, unless the journal cannot be written. After cancels, a failure waits for a full rate
 * budget.
 */
export async function cancelWhileStarting<Reply, Begun>(
  { reply, begin }: EarlyStart<Reply, Begun>,
  options: EarlyCancelsOptions,
): Promise<Begun> {
  const { unmanagedMs } = options;
  const { clock, timer } = options.ports;
  let { past } = options;
  let wait = { isOver: false };
  const dueMs = clock.nowMs() + PATIENCE_MS - Math.max(0, unmanagedMs);
  let canceling: Promise<number> | undefined;
  let limit: TimerHandle | undefined;
  const hasOrders = past.orders.length > 0;
  if (hasOrders) {
    limit = timer.after(Math.max(SHORT_START_MS, dueMs - clock.nowMs()), () => {
      canceling = cancelPast(options, wait);
    });
  }
  try {
    const value = await reply;
    wait.isOver = true;
    limit?.cancel();
    if (canceling !== undefined) past = { ...past, nonceHighWater: await canceling };
    canceling = undefined;
    wait = { isOver: false };
    return await begin(value, past);
  } catch (thrown) {
    limit?.cancel();
    if (hasOrders && clock.nowMs() >= dueMs) {
      limit = timer.after(FAILED_START_MS, () => {
        wait.isOver = true;
      });
      await (canceling ?? cancelPast({ ...options, past }, wait));
      // The next process begins with a full budget, and may begin at once (docs/decisions/020).
      await options.pace.refilled();
    }
    throw thrown;
  } finally {
    wait.isOver = true;
    limit?.cancel();
    await canceling;
  }
}

/** Cancels until each order's end is proven or the wait is over. Resolves with the highest nonce used. */
async function cancelPast(
  { settings, ports, past, ...options }: EarlyCancelsOptions,
  wait: { readonly isOver: boolean },
): Promise<number> {
  const { clock, timer, log, store, signer } = ports;
  const { waitForToken } = options.pace;
  const records = new LastRecords(store, settings.journal.path);
  log.warn(
    { code: "EARLY_CANCELS", orders: past.orders.length },
    "the bot has not started yet: canceling the orders of earlier runs",
  );
  try {
    const { nonceHighWater } = await sendSignedCancels({
      ...options,
      orders: past.orders,
      clock,
      timer,
      waitForToken,
      landedMs: settings.timing.inFlightMs,
      roundsMs: Number.POSITIVE_INFINITY,
      isOver: () => wait.isOver,
      highWater: past.nonceHighWater,
      offsetMs: await readOffset({ ...options, timer, waitForToken }, past.lastEntry?.offsetMs),
      record(signed, highest) {
        const message = "the next start took long or failed";
        const crash = { message, nowMs: clock.nowMs(), nonceHighWater: highest, signed: [signed] };
        records.crash(crash, signer.address);
      },
    });
    return nonceHighWater;
  } catch (thrown) {
    // A signer that fails, for example: the start has to go on all the same.
    log.error({ err: thrown }, "orders of earlier runs could not be canceled");
    return past.nonceHighWater;
  } finally {
    records.close();
  }
}
