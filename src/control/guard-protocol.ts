import { z } from "zod";

/** The lines that a bot sends to a connected guard. The guard sends `GUARD_BEAT` once a second, so that the bot knows it is alive. */

const orderId = z.string().regex(/^0x[0-9a-f]{64}$/);

/** A signed cancel and what is known of its order. */
const heldCancel = z.object({
  orderId,
  /** Nonce of the transaction that placed the order, 0 when unknown. */
  orderNonce: z.int(),
  /** The venue has accepted or shown the order. */
  isAcknowledged: z.boolean(),
  /** The complete signed transaction, `0x…`, and its hash. */
  bytesHex: z.string(),
  txHash: orderId,
  /** Nonce of the cancel. */
  nonce: z.int(),
});
export type HeldCancel = z.output<typeof heldCancel>;

export const guardLine = z.discriminatedUnion("event", [
  /** The first line: whose orders are guarded, and where. */
  z.object({
    event: z.literal("hello"),
    owner: z.string(),
    rest: z.string(),
    /** Names the bot's run. */
    run: z.string(),
    /** Where it trades: the guard's file may be older than the bot's. */
    marketIds: z.array(z.string()),
  }),
  z.object({ event: z.literal("standby"), cancels: z.array(heldCancel) }),
  /** These orders have not ended, and no cancel of them is signed: the bot has not had the time, or no nonce. */
  z.object({ event: z.literal("uncovered"), orderIds: z.array(orderId) }),
  /** These orders have ended. */
  z.object({ event: z.literal("ended"), orderIds: z.array(orderId) }),
  /**
   * Once a second while the bot works. `venueMs`: the venue's time now; null before the first reading. No offset, since the bot's clock is not
   * the guard's: it follows the monotonic clock from the bot's start.
   */
  z.object({ event: z.literal("beat"), venueMs: z.number().nullable() }),
  /** The bot ends, and the venue has confirmed that none of its orders is open. */
  z.object({ event: z.literal("goodbye") }),
]);
export type GuardLine = z.output<typeof guardLine>;

export const GUARD_BEAT = "beat";
/** Both sides send a sign of life this often. */
export const GUARD_BEAT_MS = 1_000;
