import type { Invariant } from "../invariant.ts";

/**
 * Every command is in the journal before it is sent, except those that make and end sessions, which the kernel does not decide.
 * Cancels may be sent without a working journal: when the disk has failed, and by a start that found the journal's end damaged and has not
 * set it aside yet, or that signs with another session wallet than the run before (journal/last-records.ts).
 */
export const journalBeforeWire: Invariant = {
  name: "journal-before-wire",
  isOfBot: true,
  watch: ({ scenario, oracle, appendedMs, hasDiskFailed, startingSinceMs }) => ({
    request(transaction) {
      if (transaction === undefined || appendedMs(transaction.bytesHex) !== undefined) {
        return undefined;
      }
      if (transaction.command.type === "session") return undefined;
      const mayLackEntry = oracle.hasJournalGap || scenario.session !== undefined;
      const mayLackJournal = hasDiskFailed() || (mayLackEntry && startingSinceMs() !== undefined);
      if (mayLackJournal && transaction.command.type === "cancel") return undefined;
      return `a transaction with nonce ${transaction.nonce} was sent before it was written`;
    },
  }),
};
