import type { OrderId } from "../domain/ids.ts";
import type { VenueAdapter } from "../gateway/venue-adapter.ts";
import { NONCE_SPREAD_MAX_MS } from "../execution/nonce.ts";
import { restore } from "../journal/restore.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import type { Signer } from "../ports/crypto.ts";
import type { Store } from "../ports/store.ts";
import type { LiveSettings } from "./live-settings.ts";
import { RequestPace } from "./request-pace.ts";
import { readOffset, sendSignedCancels } from "./signed-cancels.ts";

export interface JournalCancelsOptions {
  readonly settings: Pick<LiveSettings, "journal" | "rateLimit" | "timing">;
  readonly store: Store;
  readonly adapter: VenueAdapter;
  readonly clock: Clock;
  readonly timer: Timer;
  /** The cancels and their proof may take this long. */
  readonly limitMs: number;
  randomBytes(count: number): Uint8Array;
  /** The signer of this address, which the journal names; undefined when its key is not at hand. */
  signerOf(address: string): Signer | undefined;
}

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
  const { nonceWindowMs } = header.kernel;
  const { waitForToken } = new RequestPace(settings.rateLimit, { clock, timer });
  const { left } = await sendSignedCancels({
    orders: open,
    adapter,
    commandSigner,
    clock,
    timer,
    waitForToken,
    landedMs: settings.timing.inFlightMs,
    limitMs: options.limitMs,
    highWater: restored.nonceHighWater,
    offsetMs: await readOffset({ adapter, timer, waitForToken }, restored.lastEntry?.offsetMs),
    nonceWindowMs,
    spreadMs: Math.floor(
      randomShare(options.randomBytes(4)) *
        Math.min(NONCE_SPREAD_MAX_MS, (nonceWindowMs ?? NONCE_SPREAD_MAX_MS) / 4),
    ),
  });
  return left;
}

/** A number from 0 to below 1. */
function randomShare(bytes: Uint8Array): number {
  return bytes.reduce((share, byte) => (share + byte) / 256, 0);
}
