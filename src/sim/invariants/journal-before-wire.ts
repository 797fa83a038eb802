import type { Invariant } from "../invariant.ts";
import { isOrdering } from "../sent-commands.ts";

/** With durability `process`, orders leave while the disk has confirmed all entries of up to 5 s ago. */
const UNCONFIRMED_MS = 5_000;
/** For entries that are confirmed together, and commands whose entry was confirmed as the disk began to hang. */
const GROUP_MS = 200;

/**
 * Every command is in the journal before it is sent, except those that make and end sessions, which the kernel does not decide.
 * Cancels may be sent without a working journal: when the disk has failed, and by a start that found the journal's end damaged and has not
 * set it aside yet, or that signs with another session wallet than the run before (journal/last-records.ts). Orders wait while the disk hangs.
 */
export const journalBeforeWire: Invariant = {
  name: "journal-before-wire",
  isOfBot: true,
  watch({ scenario, oracle, appendedMs, hasDiskFailed, startingSinceMs, ...world }) {
    const { episodes, elapsedMs, runStartedMs } = world;
    const isPatient = scenario.durability === "process";
    /** For how long the disk has confirmed nothing of this run; 0 unless it hangs. */
    const hangsMs = (): number => {
      const hang = episodes().findLast(({ name }) => name === "disk-hangs");
      if (hang === undefined || hang.toMs !== undefined) return 0;
      return elapsedMs() - Math.max(hang.fromMs, runStartedMs());
    };
    return {
      request(transaction) {
        if (transaction === undefined) return undefined;
        if (isOrdering(transaction) && hangsMs() > GROUP_MS + (isPatient ? UNCONFIRMED_MS : 0)) {
          return `an order was sent ${hangsMs()} ms after the disk began to hang`;
        }
        const { type } = transaction.command;
        if (appendedMs(transaction.bytesHex) !== undefined || type === "session") return undefined;
        const mayLackEntry = oracle.hasJournalGap || scenario.session !== undefined;
        const mayLackJournal = hasDiskFailed() || (mayLackEntry && startingSinceMs() !== undefined);
        if (mayLackJournal && type === "cancel") return undefined;
        return `a transaction with nonce ${transaction.nonce} was sent before it was written`;
      },
    };
  },
};
