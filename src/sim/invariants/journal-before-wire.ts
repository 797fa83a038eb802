import type { Invariant } from "../invariant.ts";

/** The last cancels of a stop leave within this time after its commands stopped waiting for the disk: a reading of the clock, and requests of 5 s. */
const LAST_MS = 15_000;

/**
 * Every command is in the journal before it is sent, but for those that make and end sessions, which are no decision of the kernel.
 * Cancels may be sent without a working journal: when the disk has failed, by a start that found the journal's end damaged and has not set
 * it aside yet, or that signs with another session wallet than the run before (journal/last-records.ts), and by a stop whose commands
 * waited for a disk that hangs (docs/decisions/093).
 */
export const journalBeforeWire: Invariant = {
  name: "journal-before-wire",
  isOfBot: true,
  watch: ({ scenario, oracle, hasAppended, hasDiskFailed, startingSinceMs, ...world }) => ({
    request(transaction) {
      if (transaction === undefined || hasAppended(transaction.bytesHex)) return undefined;
      if (transaction.command.type === "session") return undefined;
      const mayLackEntry = oracle.hasJournalGap || scenario.session !== undefined;
      const mayLackJournal = hasDiskFailed() || (mayLackEntry && startingSinceMs() !== undefined);
      const isStopStuck = world.isStopping() && world.elapsedMs() - world.stuckMs() <= LAST_MS;
      const isLastCancel = scenario.durability === "power" && isStopStuck;
      if ((mayLackJournal || isLastCancel) && transaction.command.type === "cancel") {
        return undefined;
      }
      return `a transaction with nonce ${transaction.nonce} was sent before it was written`;
    },
  }),
};
