import type { Invariant } from "../invariant.ts";
import { isOrdering } from "../sent-commands.ts";

/** The limit of a second (docs/decisions/032), and less than a millisecond for the rounding of the bot's clock on each end. */
const LIMIT_MS = 1_001;

/** An order leaves the bot within a second of its step, whose record in the journal comes before it: cancels of a pause and new prices may follow. */
export const promptOrders: Invariant = {
  name: "prompt-orders",
  isOfBot: true,
  watch: ({ elapsedMs, appendedMs }) => ({
    request(transaction) {
      if (transaction === undefined || !isOrdering(transaction)) return undefined;
      const madeMs = appendedMs(transaction.bytesHex);
      const ageMs = madeMs === undefined ? 0 : elapsedMs() - madeMs;
      return ageMs > LIMIT_MS
        ? `an order was sent ${Math.round(ageMs)} ms after its step`
        : undefined;
    },
  }),
};
