import type { Invariant } from "../invariant.ts";

/** Every command is in the journal before it is sent. Cancels may be sent without a working journal. */
export const journalBeforeWire: Invariant = {
  name: "journal-before-wire",
  watch: ({ hasAppended, hasDiskFailed }) => ({
    request(transaction) {
      if (transaction === undefined || hasAppended(transaction.bytesHex)) return undefined;
      if (hasDiskFailed() && transaction.command.type === "cancel") return undefined;
      return `a transaction with nonce ${transaction.nonce} was sent before it was written`;
    },
  }),
};
