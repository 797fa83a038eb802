import { rulesOf } from "../../domain/rules-of.ts";
import type { PlaceCommand } from "../../domain/command.ts";
import type { WantedQuotes } from "../decision-log.ts";
import type { Invariant } from "../invariant.ts";
import { NaiveSources } from "../naive-source.ts";
import { StaleQuotes } from "../stale-quotes.ts";

/** Orders that were decided on before a source became too old may still be sent for this long. */
const SETTLED_MS = 1_000;

/**
 * While a source is too old, no quote is placed and those that rest are canceled (`stop`), or each one is placed farther from the mid than the
 * strategy wants it (`widen`).
 */
export const freshSource: Invariant = {
  name: "fresh-source",
  watch(world) {
    const { scenario, oracle, elapsedMs, isBotAlive, recentlyWanted } = world;
    if (scenario.sources === undefined) return {};
    const { whenOld, widenBy } = scenario.sources;
    const rules = rulesOf(oracle.market);
    const sources = new NaiveSources(scenario.sources, world);
    const stale = new StaleQuotes(world);
    let oldSinceMs: number | undefined;
    const isWide = ({ side, price }: PlaceCommand): boolean => {
      const sign = side === "BUY" ? 1 : -1;
      const nearest = nearestWidened(recentlyWanted(), { side, sign, widenBy });
      return nearest === undefined || sign * (price - nearest) <= 2 * rules.tickAt(price);
    };
    return {
      runStarts() {
        sources.runStarts();
        stale.runStarts();
        oldSinceMs = undefined;
      },
      entry({ batch, effects }) {
        sources.entry(batch);
        stale.entry(effects);
        const old = sources.old(batch.nowMs);
        oldSinceMs = old === undefined ? undefined : (oldSinceMs ?? elapsedMs());
        if (old === undefined || oldSinceMs === undefined) return undefined;
        const placed = effects.filter(
          (effect): effect is PlaceCommand => effect.type === "place" && effect.take === undefined,
        );
        if (whenOld === "stop") {
          return placed.length > 0 || effects.some(({ type }) => type === "modify")
            ? `placed although source ${old} is of no use`
            : undefined;
        }
        if (elapsedMs() - oldSinceMs < SETTLED_MS) return undefined;
        if (placed.length > 0) oracle.reach("quote widened");
        const near = placed.find((quote) => !isWide(quote));
        return near && `${near.side} placed at ${near.price} although source ${old} is of no use`;
      },
      tick() {
        const isOld = isBotAlive() && sources.old() !== undefined;
        oldSinceMs = isOld ? (oldSinceMs ?? elapsedMs()) : undefined;
        return oldSinceMs === undefined || whenOld === "widen"
          ? undefined
          : stale.tick(oldSinceMs, "a source has been of no use");
      },
    };
  },
};

/** The price nearest to the other side that a widened quote may have; undefined when a side of the book is empty or no quote is wanted. */
function nearestWidened(
  decisions: readonly WantedQuotes[],
  {
    side,
    sign,
    widenBy,
  }: { readonly side: string; readonly sign: number; readonly widenBy: number },
): number | undefined {
  let nearest: number | undefined;
  for (const { quotes, touch } of decisions) {
    if (touch.BUY === undefined || touch.SELL === undefined) return undefined;
    const mid = (touch.BUY + touch.SELL) / 2;
    for (const quote of quotes) {
      if (quote.side !== side) continue;
      const price = mid - sign * Math.max(0, sign * (mid - quote.price)) * widenBy;
      if (nearest === undefined || sign * (price - nearest) > 0) nearest = price;
    }
  }
  return nearest;
}
