import type { Side } from "../../domain/side.ts";
import type { Invariant } from "../invariant.ts";
import { isQuote } from "../oracle.ts";

const sides: readonly Side[] = ["BUY", "SELL"];

/** How long a surplus may rest. */
const SURPLUS_MS = 2_500;

/** On no side more quotes than the strategies want are open at the venue for longer than 2.5 seconds, also during faults. */
export const count: Invariant = {
  name: "count",
  watch({ oracle, wanted, elapsedMs, isBotAlive }) {
    const since: Record<Side, number | undefined> = { BUY: undefined, SELL: undefined };
    return {
      runStarts() {
        for (const side of sides) since[side] = undefined;
      },
      tick() {
        const nowMs = elapsedMs();
        const decisions = wanted();
        const isJudged = isBotAlive() && decisions.length > 0;
        for (const side of sides) {
          const open = oracle
            .openAtVenue()
            .filter((order) => order.side === side && isQuote(order));
          const most = decisions
            .flatMap(({ quotes }) => quotes)
            .filter((quote) => quote.side === side).length;
          since[side] = isJudged && open.length > most ? (since[side] ?? nowMs) : undefined;
          const surplusMs = nowMs - (since[side] ?? nowMs);
          oracle.lasted("surplus order", surplusMs);
          if (surplusMs > SURPLUS_MS) {
            since[side] = nowMs;
            return `${open.length} quotes of ${side} have been open for ${Math.round(surplusMs)} ms, the strategy wants ${most}`;
          }
        }
        return undefined;
      },
    };
  },
};
