import type { OrderId } from "../domain/ids.ts";
import { NonceAllocator } from "../execution/nonce.ts";
import type { VenueAdapter, VenueCommandSigner } from "../gateway/venue-adapter.ts";
import type { SignedEntry } from "../journal/entry.ts";
import type { Clock, Timer } from "../ports/clock.ts";
import { type LastCancelsOptions, nonceExpiresMs, sendLastCancels } from "./last-cancels.ts";
import { settlesWithin } from "./settles-within.ts";

export interface SignedCancelsOptions
  extends Pick<LastCancelsOptions, "orders" | "landedMs" | "roundsMs" | "limitMs" | "isOver"> {
  readonly adapter: Pick<VenueAdapter, "clock" | "submit" | "fetchOrder">;
  readonly commandSigner: VenueCommandSigner;
  readonly clock: Clock;
  readonly timer: Timer;
  waitForToken(isOver?: () => boolean): Promise<void>;
  /** The highest nonce in the journal. */
  readonly highWater: number;
  /** The venue's clock minus ours; undefined when it is not known. */
  readonly offsetMs: number | undefined;
  readonly nonceWindowMs: number | undefined;
  /** See `NonceOptions`. */
  readonly spreadMs?: number;
  /** Called before a cancel is sent, with the highest nonce so far; left out where no journal gets it. */
  record?(signed: SignedEntry, nonceHighWater: number): void;
}

/** Time limit of the reading of the venue's clock. */
const CLOCK_QUERY_MS = 2_000;

/**
 * Cancels own orders without a kernel. Resolves with the orders whose end could not be proven, and the highest nonce used. The cancels
 * are signed when they are sent: a nonce that waited for the rate budget could leave the venue's window.
 */
export async function sendSignedCancels(
  options: SignedCancelsOptions,
): Promise<{ readonly left: readonly OrderId[]; readonly nonceHighWater: number }> {
  const { adapter, commandSigner, clock, offsetMs } = options;
  const nonces = new NonceAllocator({ spreadMs: options.spreadMs ?? 0 });
  nonces.observe(options.highWater);
  const left = await sendLastCancels({
    ...options,
    expiresMs: nonceExpiresMs(options.nonceWindowMs, offsetMs),
    cancelOf(orderId) {
      const nonce = nonces.next(clock.nowMs(), offsetMs ?? 0);
      const signed = commandSigner.sign({
        type: "cancel",
        intent: 0,
        nonce,
        strategy: "",
        orderId,
      });
      options.record?.({ intent: 0, ...signed }, nonces.highWater);
      return signed;
    },
    submit: (signed) => adapter.submit("cancel", signed),
    query: (orderId) => adapter.fetchOrder(orderId),
  });
  return { left, nonceHighWater: nonces.highWater };
}

/** Reads the venue's clock. Resolves with it minus ours, or with `otherwise` when it does not answer in time. */
export async function readOffset(
  {
    adapter,
    timer,
    waitForToken,
  }: Pick<SignedCancelsOptions, "adapter" | "timer" | "waitForToken">,
  otherwise: number | undefined,
): Promise<number | undefined> {
  let offsetMs = otherwise;
  const read = async (): Promise<void> => {
    await waitForToken();
    const time = await adapter.clock.read({ timeoutMs: CLOCK_QUERY_MS, waitForToken });
    ({ offsetMs } = time);
  };
  const reading = read().catch(() => undefined);
  await settlesWithin(CLOCK_QUERY_MS, reading, timer);
  return offsetMs;
}
