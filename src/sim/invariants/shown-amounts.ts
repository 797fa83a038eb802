import { type Fixed, fixedText, subFixed } from "../../domain/fixed.ts";
import { USER_CHANNEL_SILENT } from "../faults.ts";
import type { Invariant } from "../invariant.ts";

/** Time for a fill to show in position and balances. Balances that an event did not bring are read every 5 s. */
const SETTLE_MS = 8_000;
/** The same where events bring them: with a user channel, and without stop orders and legs, of which the venue decides what they lock. */
const EVENT_MS = 2_500;
/** After the last fault, or the wait that a `Retry-After` imposes: the longest wait of reads that failed, and then as long as a read takes. */
const AFTERMATH_MS = 9_000;

/** After the faults, the position and the balances that a strategy sees are those of the venue, or were a moment ago. */
export const shownAmounts: Invariant = {
  name: "shown-amounts",
  watch({ scenario, oracle, limitedUntilMs, elapsedMs, isBotAlive, shown, ...world }) {
    const { faultsEndedMs, venueBehindMs } = world;
    const { baseToken, quoteToken } = oracle.market;
    const isShared = scenario.hasSecondStrategy || scenario.yamlChanges;
    const startBase = oracle.total(baseToken);
    /** By what is shown: since when it differs. */
    const since = new Map<string, number>();
    /** By amount: when the venue last had it. */
    const had = new Map<string, number>();
    const hasLostTraded = (): boolean =>
      oracle.lost.hashes.size > 0 &&
      oracle.tradesAtVenue().some(({ orderId }) => oracle.lost.has(orderId));
    const isSilent = scenario.faults.some(({ name }) => name === USER_CHANNEL_SILENT);
    const settleMs = (): number =>
      isSilent || oracle.legs.size > 0 || oracle.reached.has("effect stop") ? SETTLE_MS : EVENT_MS;
    const check = (
      what: string,
      { is, atMs }: { readonly is: Fixed | undefined; readonly atMs: number },
      real: Fixed,
    ): string | undefined => {
      had.set(`${what} ${real}`, elapsedMs());
      if (is === real) {
        since.delete(what);
        return undefined;
      }
      const sinceMs = since.get(what) ?? elapsedMs();
      since.set(what, sinceMs);
      const hadMs = had.get(`${what} ${is}`) ?? sinceMs;
      // A view is judged for the time when the strategy had it.
      const calmMs = Math.max(faultsEndedMs(), limitedUntilMs(), venueBehindMs()) + AFTERMATH_MS;
      if (atMs - Math.max(sinceMs, hadMs) <= settleMs() || atMs < calmMs) return undefined;
      return `the strategy sees the ${what} ${is === undefined ? "unknown" : fixedText(is)}, it is ${fixedText(real)}`;
    };
    return {
      runStarts: () => since.clear(),
      tick() {
        const seen = shown();
        if (!isBotAlive() || seen === undefined) return undefined;
        const { atMs } = seen;
        return (
          check("base balance", { is: seen.base, atMs }, oracle.balance(baseToken)) ??
          check("quote balance", { is: seen.quote, atMs }, oracle.balance(quoteToken)) ??
          // Fills that the disk lost are in no position, and a strategy sees its own position only.
          (hasLostTraded() || isShared
            ? undefined
            : check(
                "position",
                { is: seen.position, atMs },
                subFixed(oracle.total(baseToken), startBase),
              ))
        );
      },
    };
  },
};
