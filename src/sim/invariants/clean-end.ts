import type { BotEnd } from "../../runtime/bot.ts";
import type { FaultEpisode } from "../fault-plan.ts";
import type { Invariant } from "../invariant.ts";
import type { Oracle } from "../oracle.ts";
import { NONCE_WINDOW_MS } from "../sent-commands.ts";
import { sessionLasts } from "../session-lasts.ts";

/** The bot's last list of open orders is no older than this when it has stopped. */
const LAST_LIST_MS = 15_000;

/** A start after a power cut adopts what was placed so shortly before it: since the last durable entry, less a margin. Foreign orders are placed at the start of a world. */
const LOST_MS = 15_000;

const isPowerCut = ({ name }: FaultEpisode): boolean => name.startsWith("power-cut");

/** A run that ended without being asked to is a failed one, and reports what it leaves open. */
function endedByItself(end: BotEnd, oracle: Oracle): string | undefined {
  const { ok, reason } = end;
  return ok ? `a run that ended by itself ended as ok: ${reason}` : unreported(end, oracle);
}

/** An open order that a failed run does not report. */
function unreported({ inQuestion }: BotEnd, oracle: Oracle): string | undefined {
  const left = oracle.openUnnamed(inQuestion);
  return left === undefined
    ? undefined
    : `${left.orderId} is left open as ${left.status} and not reported`;
}

/** After a stop no own order is open, or the bot reports those that may be. Foreign orders are only touched where a power cut makes them look like lost ones, or the operator says so. */
export const cleanEnd: Invariant = {
  name: "clean-end",
  watch(world) {
    const { scenario, oracle, episodes, isStopping, elapsedMs, runStartedMs, venueNowMs } = world;
    let stoppedMs = 0;
    /** Whether the session outlasted the stop: a run whose session ends meanwhile counts as failed. */
    let hadSession = true;
    /** When the journal got its last entry before the first power cut. */
    let entryMs = 0;
    /** Foreign orders that were open when the stop began: one may be executed after the bot's last list. */
    let foreignBefore = 0;
    return {
      entry() {
        if (!episodes().some(isPowerCut)) entryMs = elapsedMs();
        return undefined;
      },
      diskEnded: (end) => endedByItself(end, oracle),
      strategyEnded: (end) => endedByItself(end, oracle),
      sessionEnded: (end) => endedByItself(end, oracle),
      operatorEnded: (end) => (end.ok ? undefined : unreported(end, oracle)),
      tick() {
        if (isStopping()) return undefined;
        foreignBefore = oracle.openForeign();
        stoppedMs = elapsedMs();
        return undefined;
      },
      stopped({ ok, summary: { foreignOrders } }) {
        hadSession = sessionLasts(world, 0);
        if (!ok) return undefined;
        const left = oracle.openForeign();
        // A list ends at the venue's time (D15), so after that went back it may lack orders that are dated later.
        const listed = oracle.hasVenueClockGoneBack
          ? oracle.openForeign(venueNowMs() - LAST_LIST_MS)
          : left;
        const isRight =
          foreignOrders !== null &&
          foreignOrders >= listed &&
          foreignOrders <= Math.max(left, foreignBefore);
        return isRight ? undefined : `${foreignOrders} foreign orders, there are ${left}`;
      },
      ended(end) {
        const { ok, summary, reason } = end;
        const { fromMs = 0 } = episodes().find(isPowerCut) ?? {};
        // What a power cut took from the journal may still be placed: that run cannot end as ok, and says so.
        const mayLand = fromMs > 0 && stoppedMs - runStartedMs() <= NONCE_WINDOW_MS;
        if (!ok && !mayLand && hadSession && !scenario.stopsInTrouble)
          return `the run failed without a fault: ${reason}`;
        // After an end as ok none may be open: `final-end`.
        const problem = unreported(end, oracle);
        if (problem !== undefined) return problem;
        if (ok && (summary.ordersLeft !== 0 || summary.unknownOutcomes !== 0)) {
          return `a run ended as ok with ${summary.ordersLeft} orders left, ${summary.unknownOutcomes} unknown`;
        }
        const mayAdopt = fromMs > 0 && entryMs <= LOST_MS;
        for (const orderId of mayAdopt ? [] : oracle.foreign) {
          const status = oracle.exchange.order(orderId)?.status;
          if (status === "CANCELED" && !oracle.givenUp.has(orderId))
            return `the foreign order ${orderId} is ${status}`;
        }
        return undefined;
      },
    };
  },
};
