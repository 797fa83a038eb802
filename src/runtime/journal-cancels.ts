import type { OrderId } from "../domain/ids.ts";
import type { VenueAdapter } from "../gateway/venue-adapter.ts";
import { NonceAllocator } from "../execution/nonce.ts";
import { restore } from "../journal/restore.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Signer } from "../ports/crypto.ts";
import type { Store } from "../ports/store.ts";
import { nonceExpiresMs, sendLastCancels, signedCancels } from "./last-cancels.ts";
import type { LiveSettings } from "./live-settings.ts";
import { RequestPace } from "./request-pace.ts";

export interface JournalCancelsOptions {
  readonly settings: Pick<LiveSettings, "journal" | "rateLimit" | "timing">;
  readonly store: Store;
  readonly adapter: VenueAdapter;
  readonly clock: Clock;
  readonly timer: Timer;
  /** See `NonceOptions`: a process that writes no journal passes a random one of up to 10 s. */
  readonly spreadMs: number;
  /** The cancels and their proof may take this long after the venue's clock was read. */
  readonly limitMs: number;
  /** The signer of this address, which the journal names; undefined when its key is not at hand. */
  signerOf(address: string): Signer | undefined;
}

/** Time limit of the reading of the venue's clock. */
const CLOCK_QUERY_MS = 1_000;

/**
 * Cancels the orders that a journal leaves open, for a bot that cannot do it any more. Writes nothing to the journal: its bot may still
 * hold it open. Resolves with the orders whose end could not be proven; rejects when the journal cannot be read or the key is missing.
 */
export async function cancelFromJournal(
  options: JournalCancelsOptions,
): Promise<readonly OrderId[]> {
  const { settings, store, adapter, clock, timer } = options;
  const { header, restored, open } = restore(store, settings.journal.path);
  if (header === undefined || open.length === 0) return [];
  const signer = options.signerOf(header.signer);
  if (signer === undefined) throw new Error(`the key of ${header.signer} is not at hand`);
  const commandSigner = adapter.commandSigner({ owner: header.kernel.owner, signer });
  const { waitForToken } = new RequestPace(settings.rateLimit, { clock, timer });
  const offsetMs = await adapter.clock.read({ timeoutMs: CLOCK_QUERY_MS, waitForToken }).then(
    (time) => time.offsetMs,
    () => undefined,
  );
  const { nonceWindowMs } = header.kernel;
  const nonces = new NonceAllocator({ spreadMs: options.spreadMs });
  nonces.observe(restored.nonceHighWater);
  return sendLastCancels({
    orders: open,
    clock,
    timer,
    waitForToken,
    landedMs: settings.timing.inFlightMs,
    limitMs: options.limitMs,
    expiresMs: nonceExpiresMs(nonceWindowMs, offsetMs),
    cancels: signedCancels({
      nextNonce: () => nonces.next(clock.nowMs(), offsetMs ?? 0),
      sign: (command) => commandSigner.sign(command),
    }),
    submit: (signed) => adapter.submit("cancel", signed),
    query: (orderId) => adapter.fetchOrder(orderId),
  });
}
