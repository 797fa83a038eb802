import type { Invariant } from "../invariant.ts";

/** 8. Journal before wire: what leaves stands in the newest append. Cancels go out with or without a journal. */
export const journalBeforeWire: Invariant = {
  name: "journal-before-wire",
  watch: ({ lastAppended, hasDiskFailed }) => ({
    request(transaction) {
      if (transaction === undefined || lastAppended().includes(transaction.bytesHex))
        return undefined;
      if (hasDiskFailed() && transaction.isCancel) return undefined;
      return `a transaction with nonce ${transaction.nonce} was sent before it was written`;
    },
  }),
};
