import type { OrderId } from "../domain/ids.ts";
import type { VenueAdapter, VenueCommandSigner } from "../gateway/venue-adapter.ts";
import type { Journal } from "../journal/journal.ts";
import type { SegmentKeeper } from "../journal/segment-keeper.ts";
import type { BotParts } from "./assemble-bot.ts";
import type { Aftermath } from "./bot.ts";
import type { OpenOrder } from "./last-cancels.ts";
import { RequestPace } from "./request-pace.ts";
import { settlesWithin } from "./settles-within.ts";
import { sendSignedCancels } from "./signed-cancels.ts";

export interface LiveAftermathOptions {
  readonly parts: BotParts;
  readonly adapter: VenueAdapter;
  readonly journal: Journal;
  readonly commandSigner: VenueCommandSigner;
  readonly signerName: string;
  /** Nothing may be sent, cancels after a crash included. */
  readonly isDry: boolean;
  /** Compresses and deletes older segments of the journal; undefined when the bot does neither. */
  readonly segmentKeeper: SegmentKeeper | undefined;
}

/** Shortest time limit of the final open-orders query. */
const FINAL_QUERY_MS = 2_000;
/** A run that is over waits no longer than this for the disk. */
const CLOSE_MS = 2_000;
/** A request that was open at the crash ends within this time. */
const REQUEST_MS = 5_000;

/** Finds the orders that a live run leaves open, in the journal and at the venue. */
export function liveAftermath(options: LiveAftermathOptions): Aftermath {
  const { journal, signerName, parts } = options;
  // The requests after the kernel's last step go on with what it left of the rate budget.
  let pace: RequestPace | undefined;
  const waitForToken = (isOver?: () => boolean): Promise<void> => {
    pace ??= new RequestPace(parts.kernel.rateLeft, parts);
    return pace.waitForToken(isOver);
  };
  return {
    signerName,
    isDry: options.isDry,
    async inQuestion({ crash }, limitMs) {
      // No order of a dry run was sent.
      if (options.isDry) return [];
      const orders = ownOpenOrders(options);
      if (orders.length === 0 || crash === undefined) return idsOf(orders);
      const { log } = parts;
      log.error({ orders: orders.length }, "canceling own orders after the bug");
      const { message } = crash;
      const landedMs = REQUEST_MS + parts.config.timing.inFlightMs;
      const last = { orders, message, limitMs, waitForToken, landedMs };
      return cancelLast(options, last).catch((thrown: unknown) => {
        // A signer that fails again, for example: the run has to end all the same.
        log.error({ err: thrown }, "own orders could not be canceled after the bug");
        return idsOf(orders);
      });
    },
    openOrders: (deadlineMs) => openOrders(options, deadlineMs, waitForToken),
    async cancelListed(orderIds, limitMs) {
      if (options.isDry) return;
      const { log } = parts;
      log.warn(
        { code: "ORDER_RETURNED", orders: orderIds },
        "the last list of open orders has own orders that had ended: canceling them",
      );
      const orders = orderIds.map((orderId) => ({ orderId, isAcknowledged: true, nonce: 0 }));
      const message = "the last list of open orders had own orders that had ended";
      const last = { orders, message, limitMs, waitForToken, landedMs: 0 };
      await cancelLast(options, last).catch((thrown: unknown) => {
        log.error({ err: thrown }, "own orders could not be canceled");
      });
    },
    async close() {
      const { log, timer } = parts;
      const closed = journal.close().catch((thrown: unknown) => {
        log.error({ err: thrown }, "the journal could not be closed");
      });
      // A command that follows the run, such as `position set`, finds the folder free.
      const isFree = options.segmentKeeper?.stop() ?? Promise.resolve();
      const [isClosedInTime, isFreeInTime] = await Promise.all(
        [closed, isFree].map((done) => settlesWithin(CLOSE_MS, done, timer)),
      );
      if (isClosedInTime !== true) {
        log.warn({}, "the disk does not answer: a power cut may remove the journal's last entries");
      }
      if (isFreeInTime !== true) {
        log.warn({}, "the journal stays locked until an older segment of it has been compressed");
      }
    },
  };
}

/**
 * Own orders whose end is not known. The journal has every order that was sent; the kernel also knows what happened after the journal
 * could no longer be written.
 */
function ownOpenOrders({ parts, journal }: LiveAftermathOptions): readonly OpenOrder[] {
  const { orders } = parts.driver;
  const open: OpenOrder[] = [];
  for (const { orderId, nonce } of journal.ledger.open()) {
    const known = orders.byId(orderId);
    if (known?.state === "ended") continue;
    open.push({ orderId, nonce, isAcknowledged: known?.phase === "working" });
  }
  return open;
}

async function openOrders(
  { parts, adapter }: LiveAftermathOptions,
  stopByMs: number,
  waitForToken: () => Promise<void>,
): Promise<readonly OrderId[] | undefined> {
  const { clock, driver, config } = parts;
  const { owner } = config;
  const limitMs = Math.max(stopByMs - clock.monotonicUs() / 1000, FINAL_QUERY_MS);
  try {
    const orders = await adapter.fetchOpenOrders({
      owner,
      oldestOwnMs: driver.orders.oldestMs,
      limitMs,
      waitForToken,
    });
    return orders.map(({ orderId }) => orderId);
  } catch {
    // The adapter has logged each failed attempt.
    return undefined;
  }
}

function idsOf(orders: readonly OpenOrder[]): readonly OrderId[] {
  return orders.map(({ orderId }) => orderId);
}

/** Cancels orders without the kernel. `message` is that of their records in the journal. */
async function cancelLast(
  { parts, adapter, journal, commandSigner }: LiveAftermathOptions,
  {
    message,
    limitMs,
    ...last
  }: {
    readonly orders: readonly OpenOrder[];
    readonly message: string;
    readonly limitMs: number | undefined;
    waitForToken(isOver?: () => boolean): Promise<void>;
    readonly landedMs: number;
  },
): Promise<readonly OrderId[]> {
  const { clock, timer, log, config, kernel } = parts;
  const { left } = await sendSignedCancels({
    ...last,
    ...(limitMs === undefined ? {} : { limitMs }),
    adapter,
    commandSigner,
    clock,
    timer,
    highWater: journal.ledger.nonceHighWater,
    offsetMs: kernel.venueOffsetMs,
    nonceWindowMs: config.nonceWindowMs,
    record(signed, nonceHighWater) {
      try {
        journal.crash({ message, nowMs: clock.nowMs(), nonceHighWater, signed: [signed] });
      } catch (thrown) {
        // The cancels are sent even when the journal fails.
        log.error({ err: thrown }, "the last cancels could not be written to the journal");
      }
    },
  });
  if (left.length > 0) log.error({ orders: left }, "the end of these orders could not be proven");
  return left;
}
