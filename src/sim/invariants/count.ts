import { fixedToNumber } from "../../domain/fixed.ts";
import { type Side, sides } from "../../domain/side.ts";
import type { FaultEpisode } from "../fault-plan.ts";
import type { Invariant } from "../invariant.ts";
import { fewestQuotes, openQuantity } from "../quotes-of.ts";
import { sessionLasts } from "../session-lasts.ts";

/** How long a surplus may rest after its newest cancel that the network has not delivered. */
const SURPLUS_MS = 2_500;
/** One that came behind its cancels, and whose events were lost, is found by the next query. */
const QUERY_MS = 10_000;

/** What rounding to a lot may add to a size. */
const SIZE_SLACK = 0.001;

/** When each hanging of the disk ended, or `nowMs`. */
function hangs(episodes: readonly FaultEpisode[], nowMs: number): readonly number[] {
  return episodes.flatMap(({ name, toMs = nowMs }) => (name === "disk-hangs" ? [toMs] : []));
}

/**
 * On no side more quotes than the strategies want, or more of them, are open at the venue for longer than 2.5 seconds, also during faults. A partly
 * filled order and a second one for the rest are one quote. Where the network
 * delivers no cancel, the next one is sent within that time. Not judged while nothing can connect, the disk hangs
 * (the journal comes before the wire), or a call of the strategy blocks the bot.
 */
export const count: Invariant = {
  name: "count",
  watch(world) {
    const { oracle, sent, wanted, episodes, elapsedMs, isBotAlive, isStopping } = world;
    const since: Record<Side, number | undefined> = { BUY: undefined, SELL: undefined };
    return {
      runStarts() {
        for (const side of sides) since[side] = undefined;
      },
      tick() {
        const nowMs = elapsedMs();
        const decisions = wanted();
        const unableMs = Math.max(
          world.unreachableMs(),
          world.blockedMs(),
          ...hangs(episodes(), nowMs),
        );
        const mayCancel = isBotAlive() && !isStopping() && sessionLasts(world, 0);
        const isJudged = mayCancel && decisions.length > 0;
        for (const side of sides) {
          const open = oracle
            .openAtVenue()
            .filter((order) => order.side === side && oracle.isQuote(order));
          let most = 0;
          let mostSize = 0;
          for (const { quotes, sizeTolerance } of decisions) {
            for (const quote of quotes) {
              if (quote.side !== side) continue;
              most += 1;
              mostSize += fixedToNumber(quote.size) * (1 + sizeTolerance + SIZE_SLACK);
            }
          }
          const size = fixedToNumber(openQuantity(open));
          const isSurplus = fewestQuotes(open) > most || size > mostSize;
          since[side] = isJudged && isSurplus ? (since[side] ?? nowMs) : undefined;
          const undelivered = open.map(({ orderId }) => sent.undeliveredEndingMs(orderId) ?? 0);
          const surplusMs = nowMs - Math.max(since[side] ?? nowMs, unableMs, ...undelivered);
          oracle.lasted("surplus order", surplusMs);
          const isBehind = open.some(({ orderId }) => sent.isEndingRead(orderId));
          if (surplusMs > (isBehind ? QUERY_MS : 0) + SURPLUS_MS) {
            since[side] = nowMs;
            return `${open.length} quotes of ${side} (${size}) have been open for ${Math.round(surplusMs)} ms, the strategy wants ${most} (${mostSize})`;
          }
        }
        return undefined;
      },
    };
  },
};
