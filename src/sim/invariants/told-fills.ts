import type { UserTrade } from "../../exchange/records.ts";
import { USER_CHANNEL_SILENT } from "../faults.ts";
import type { Invariant } from "../invariant.ts";
import { missedReadMs, READ_MS } from "../troubles.ts";

/** Time for the event of a fill. */
const EVENT_MS = 1_000;
/** The same where only lists tell of it: they are read every 5 s. */
const LIST_MS = 8_000;

/**
 * After the faults the bot tells of each fill of an order that it knows as soon as its event can be there. An order that a power cut took from the journal
 * and that this run has found is known with all its fills, earlier ones included.
 */
export const toldFills: Invariant = {
  name: "told-fills",
  watch(world) {
    const { scenario, oracle, elapsedMs, faultsEndedMs, venueBehindMs, isBotAlive, isStopping } =
      world;
    const isSilent = scenario.faults.some(({ name }) => name === USER_CHANNEL_SILENT);
    /** The venue's trades of which the bot has not told, and since when, by name. */
    const untold = new Map<string, { readonly trade: UserTrade; readonly sinceMs: number }>();
    let trades = 0;
    const isTold = (trade: UserTrade): boolean =>
      oracle.lost.wasFoundInRun(trade.orderId)
        ? oracle.money.hasInRun(trade)
        : oracle.money.has(trade);
    return {
      runStarts() {
        trades = 0;
      },
      tick() {
        const nowMs = elapsedMs();
        if (!isBotAlive() || isStopping() || nowMs < faultsEndedMs()) return undefined;
        const all = oracle.tradesAtVenue();
        if (all.length !== trades) {
          for (const trade of all) {
            const name = `${trade.orderId} ${trade.tradeId}`;
            if (!untold.has(name) && !isTold(trade)) untold.set(name, { trade, sinceMs: nowMs });
          }
          trades = all.length;
        }
        const calmMs = Math.max(missedReadMs(world), venueBehindMs() + READ_MS);
        for (const [name, { trade, sinceMs }] of untold) {
          if (isTold(trade)) untold.delete(name);
          if (isTold(trade) || oracle.lost.isUnfound(trade.orderId)) continue;
          const waitMs = isSilent || sinceMs < calmMs ? LIST_MS : EVENT_MS;
          if (nowMs - Math.max(sinceMs, calmMs) <= waitMs) continue;
          untold.delete(name);
          return `${trade.orderId} was filled ${Math.round(nowMs - sinceMs)} ms ago, and the bot has not told of its trade ${trade.tradeId}`;
        }
        return undefined;
      },
    };
  },
};
