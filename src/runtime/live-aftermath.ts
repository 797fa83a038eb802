import type { OrderId } from "../domain/ids.ts";
import { NonceAllocator, readsLikeTime } from "../execution/nonce.ts";
import type { VenueAdapter, VenueCommandSigner } from "../gateway/venue-adapter.ts";
import type { Journal } from "../journal/journal.ts";
import type { BotParts } from "./assemble-bot.ts";
import type { Aftermath } from "./bot.ts";
import { sendLastCancels } from "./last-cancels.ts";

export interface LiveAftermathOptions {
  readonly parts: BotParts;
  readonly adapter: VenueAdapter;
  readonly journal: Journal;
  readonly commandSigner: VenueCommandSigner;
  readonly signerName: string;
}

/** Shortest time limit of the final open-orders query. */
const FINAL_QUERY_MS = 2_000;

/** Finds the orders that a live run leaves open, in the journal and at the venue. */
export function liveAftermath(options: LiveAftermathOptions): Aftermath {
  const { journal, signerName, parts } = options;
  return {
    signerName,
    async inQuestion(crash) {
      if (crash === undefined) return journal.ledger.openIds();
      return cancelAfterCrash(options, crash).catch((thrown: unknown) => {
        // A signer that fails again, for example: the run has to end all the same.
        parts.log.error({ err: thrown }, "own orders could not be canceled after the bug");
        return journal.ledger.openIds();
      });
    },
    openOrders: (deadlineMs) => openOrders(options, deadlineMs),
    close() {
      try {
        journal.close();
      } catch (thrown) {
        parts.log.error({ err: thrown }, "the journal could not be closed");
      }
    },
  };
}

async function openOrders(
  { parts, adapter }: LiveAftermathOptions,
  stopByMs: number,
): Promise<readonly OrderId[] | undefined> {
  const { clock, driver, config } = parts;
  const { owner } = config;
  const limitMs = Math.max(stopByMs - clock.monotonicUs() / 1000, FINAL_QUERY_MS);
  try {
    const orders = await adapter.fetchOpenOrders({
      owner,
      oldestOwnMs: driver.orders.oldestMs,
      limitMs,
    });
    return orders.map(({ orderId }) => orderId);
  } catch {
    // The adapter has logged each failed attempt.
    return undefined;
  }
}

async function cancelAfterCrash(
  { parts, adapter, journal, commandSigner }: LiveAftermathOptions,
  crash: Error,
): Promise<readonly OrderId[]> {
  const { clock, timer, log } = parts;
  const orderIds = journal.ledger.openIds();
  if (orderIds.length === 0) return [];
  log.error({ orders: orderIds.length }, "canceling own orders after the bug");
  const offsetMs = await adapter.clock.read().then(
    // A clock that reads like no time may be the bug that ended the run: our own clock then gives the nonces.
    (time) => (readsLikeTime(time.serverTimeMs) ? time.offsetMs : 0),
    () => 0,
  );
  const { nonceHighWater } = journal.ledger;
  const nonces = new NonceAllocator();
  nonces.observe(nonceHighWater);
  // If the venue refuses one as used, the next round takes another.
  const nextNonce = (): number => {
    const nowMs = clock.nowMs();
    return nonces.tryNext(nowMs, offsetMs, "unused") ?? nonces.nextAhead(nowMs, offsetMs);
  };
  return sendLastCancels({
    orderIds,
    timer,
    nextNonce,
    sign: (command) => commandSigner.sign(command),
    submit: (signed) => adapter.submit("cancel", signed),
    record(signed) {
      try {
        journal.crash({
          message: crash.message,
          nowMs: clock.nowMs(),
          nonceHighWater: Math.max(nonces.highWater, nonceHighWater),
          signed,
        });
      } catch (thrown) {
        // The cancels are sent even when the journal fails.
        log.error({ err: thrown }, "the last cancels could not be written to the journal");
      }
    },
  });
}
