import type { Invariant } from "../invariant.ts";
import { isOrdering, NONCE_WINDOW_MS } from "../sent-commands.ts";

/** Within this much of the venue's clock nonces go by number: beyond 30 s by the bot's reading (docs/decisions/015), less its error and its age. */
const BY_NUMBER_MS = 20_000;

/**
 * The nonce of an order is above every nonce of the signer that the journal was given in earlier runs and starts, also where a power cut took
 * it. Not judged when the highest nonce that the run knows of is 20 s or more ahead of the venue's clock, and after a gap in the journal once
 * the machine's clock has been set. Cancels that no journal was given do not count. Nor does a nonce that the venue refuses as too far ahead
 * (D6): before its first reading of the venue's clock a start may go by a wrong one, and orders above such a nonce would be refused as well.
 */
export const noncesRise: Invariant = {
  name: "nonces-rise",
  isOfBot: true,
  watch({ oracle, venueNowMs, appendedMs }) {
    /** The highest nonce of each signer so far. */
    const highest = new Map<string, number>();
    /** The same when the run started. */
    let earlier: ReadonlyMap<string, number> = new Map();
    /** The highest nonce of which the run knows. */
    let known = 0;
    return {
      runStarts() {
        earlier = new Map(highest);
        known = 0;
      },
      entry({ batch }) {
        for (const input of batch.inputs) {
          if (input.type === "restored") known = Math.max(known, input.restored.nonceHighWater);
        }
        return undefined;
      },
      request(transaction) {
        if (transaction === undefined) return undefined;
        const { signer = "", nonce, bytesHex, command } = transaction;
        // The owner's, which are no decision of the kernel.
        if (command.type === "session" || appendedMs(bytesHex) === undefined) return undefined;
        const before = earlier.get(signer) ?? 0;
        if (nonce <= venueNowMs() + NONCE_WINDOW_MS) {
          highest.set(signer, Math.max(nonce, highest.get(signer) ?? 0));
        }
        const isByClock = known > venueNowMs() + BY_NUMBER_MS;
        known = Math.max(known, nonce);
        if (!isOrdering(transaction) || nonce > before || isByClock) return undefined;
        if (oracle.hasJournalGap && oracle.hasClockJumped) return undefined;
        return `the order's nonce ${nonce} is not above ${before} of an earlier run, the venue's clock at ${venueNowMs()}`;
      },
    };
  },
};
