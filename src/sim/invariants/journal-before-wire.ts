import type { Invariant } from "../invariant.ts";

/** Every command is in the newest journal append before it is sent. Cancels may be sent without a working journal. */
export const journalBeforeWire: Invariant = {
  name: "journal-before-wire",
  watch: ({ lastAppended, hasDiskFailed }) => ({
    request(transaction) {
      if (transaction === undefined || lastAppended().includes(transaction.bytesHex))
        return undefined;
      if (hasDiskFailed() && transaction.command.type === "cancel") return undefined;
      return `a transaction with nonce ${transaction.nonce} was sent before it was written`;
    },
  }),
};
