import type { OrderId } from "../domain/ids.ts";
import { NonceAllocator } from "../execution/nonce.ts";
import type { VenueAdapter, VenueCommandSigner } from "../gateway/venue-adapter.ts";
import type { Journal } from "../journal/journal.ts";
import type { BotParts } from "./assemble-bot.ts";
import type { Aftermath } from "./bot.ts";
import { sendLastCancels } from "./last-cancels.ts";
import { RequestPace } from "./request-pace.ts";

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
  // The requests after the kernel's last step go on with what it left of the rate budget.
  let pace: RequestPace | undefined;
  const waitForToken = (): Promise<void> => {
    pace ??= new RequestPace(parts.kernel.rateLeft, parts);
    return pace.waitForToken();
  };
  return {
    signerName,
    async inQuestion(crash) {
      if (crash === undefined) return journal.ledger.openIds();
      return cancelAfterCrash(options, crash, waitForToken).catch((thrown: unknown) => {
        // A signer that fails again, for example: the run has to end all the same.
        parts.log.error({ err: thrown }, "own orders could not be canceled after the bug");
        return journal.ledger.openIds();
      });
    },
    openOrders: (deadlineMs) => openOrders(options, deadlineMs, waitForToken),
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

async function cancelAfterCrash(
  { parts, adapter, journal, commandSigner }: LiveAftermathOptions,
  crash: Error,
  waitForToken: () => Promise<void>,
): Promise<readonly OrderId[]> {
  const { clock, timer, log } = parts;
  const orderIds = journal.ledger.openIds();
  if (orderIds.length === 0) return [];
  log.error({ orders: orderIds.length }, "canceling own orders after the bug");
  await waitForToken();
  const offsetMs = await adapter.clock.read({ waitForToken }).then(
    (time) => time.offsetMs,
    () => adapter.clock.estimateMs() - clock.nowMs(),
  );
  const { nonceHighWater } = journal.ledger;
  const nonces = new NonceAllocator();
  nonces.observe(nonceHighWater);
  return sendLastCancels({
    orderIds,
    timer,
    async cancel(orderId) {
      // Signed only now: a nonce that waits for the rate budget would leave the venue's window.
      await waitForToken();
      const nowMs = clock.nowMs();
      // If the venue refuses one as used, the next round takes another.
      const nonce = nonces.tryNext(nowMs, offsetMs, "unused") ?? nonces.nextAhead(nowMs, offsetMs);
      const signed = commandSigner.sign({
        type: "cancel",
        intent: 0,
        nonce,
        strategy: "",
        orderId,
      });
      try {
        journal.crash({
          message: crash.message,
          nowMs,
          nonceHighWater: Math.max(nonces.highWater, nonceHighWater),
          signed: [{ intent: 0, ...signed }],
        });
      } catch (thrown) {
        // The cancels are sent even when the journal fails.
        log.error({ err: thrown }, "the last cancels could not be written to the journal");
      }
      return adapter.submit("cancel", signed);
    },
  });
}
