import type { CallEndpoint } from "../gateway/account-lists.ts";
import { fetchVenueTime } from "../gateway/gateway.ts";
import type { VenueClient } from "../gateway/venue-client.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Journal } from "../journal/journal.ts";
import type { CommandSigner } from "../spec/sign-command.ts";
import type { BotParts } from "./assemble-bot.ts";
import type { Aftermath } from "./bot.ts";
import { fetchAllOpenOrders } from "./final-list.ts";
import { sendLastCancels } from "./last-cancels.ts";

export interface LiveAftermathOptions {
  readonly parts: BotParts;
  readonly client: VenueClient;
  readonly journal: Journal;
  readonly commandSigner: CommandSigner;
  readonly signerName: string;
}

/** The last query, which orders are still open, gets at least this long, and each of its requests at most. */
const LAST_MS = 2_000;
const LAST_RETRY_MS = 250;
/** Half of what D6 allows. */
const NONCE_AHEAD_MS = 30_000;

/** What a run at a venue has left behind: as the journal knows it, and as the venue says. */
export function liveAftermath(options: LiveAftermathOptions): Aftermath {
  const { journal, signerName, parts } = options;
  return {
    signerName,
    async inQuestion(crash) {
      return crash === undefined ? journal.ledger.openIds() : cancelAfterCrash(options, crash);
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
  { parts, client }: LiveAftermathOptions,
  stopByMs: number,
): Promise<readonly OrderId[] | undefined> {
  const { clock, timer, log, own, config } = parts;
  const nowMs = (): number => clock.monotonicUs() / 1000;
  const deadlineMs = Math.max(stopByMs, nowMs() + LAST_MS);
  const timeout = (): { readonly timeoutMs: number } => ({
    timeoutMs: Math.max(1, Math.min(LAST_MS, deadlineMs - nowMs())),
  });
  const untilDeadline = async <Value>(query: () => Promise<Value>): Promise<Value> => {
    for (;;) {
      try {
        return await query();
      } catch (thrown) {
        const reason = thrown instanceof Error ? thrown.message : String(thrown);
        log.warn({ reason }, "the venue does not say which orders are open");
        if (nowMs() + LAST_RETRY_MS >= deadlineMs) throw thrown;
      }
      await new Promise<void>((resolve) => {
        timer.after(LAST_RETRY_MS, resolve);
      });
    }
  };
  const call: CallEndpoint = (endpoint, query) =>
    untilDeadline(() => client.call(endpoint, query, timeout()));
  try {
    const { offsetMs } = await untilDeadline(() => fetchVenueTime(client, clock, timeout()));
    const orders = await fetchAllOpenOrders({
      call,
      owner: config.owner,
      venueNowMs: clock.nowMs() + offsetMs,
      oldestOwnMs: own.oldestMs + offsetMs,
      log,
    });
    return orders.map(({ orderId }) => orderId);
  } catch {
    // Each failure was logged.
    return undefined;
  }
}

async function cancelAfterCrash(
  { parts, client, journal, commandSigner }: LiveAftermathOptions,
  crash: Error,
): Promise<readonly OrderId[]> {
  const { clock, timer, log } = parts;
  const orderIds = journal.ledger.openIds();
  if (orderIds.length === 0) return [];
  log.error({ orders: orderIds.length }, "canceling own orders after the bug");
  const offsetMs = await fetchVenueTime(client, clock).then(
    (time) => time.offsetMs,
    () => 0,
  );
  const venueNowMs = (): number => clock.nowMs() + offsetMs;
  // The venue's clock was set back: a nonce near it may be used already, which the venue says, and the next round takes another.
  const { nonceHighWater } = journal.ledger;
  let nonce = nonceHighWater > venueNowMs() + NONCE_AHEAD_MS ? 0 : nonceHighWater;
  return sendLastCancels({
    orderIds,
    timer,
    nextNonce: () => {
      nonce = Math.max(nonce + 1, venueNowMs());
      return nonce;
    },
    sign: (command) => commandSigner.sign(command),
    submit: (signed) => client.submit("cancel", signed),
    record(signed) {
      try {
        journal.crash({
          message: crash.message,
          nowMs: clock.nowMs(),
          nonceHighWater: Math.max(nonce, nonceHighWater),
          signed,
        });
      } catch (thrown) {
        // Cancels go out with or without a journal.
        log.error({ err: thrown }, "the journal could not take the last cancels");
      }
    },
  });
}
