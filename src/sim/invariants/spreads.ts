import { sides } from "../../domain/side.ts";
import type { Invariant } from "../invariant.ts";

/** The mid of the best prices is not quite the one that spreads are a share of, and prices are rounded. */
const SLACK = 0.05;

/** The quotes of `pure-market-making` are no nearer to each other than both of its spreads together. */
export const spreads: Invariant = {
  name: "spreads",
  isOfMaker: true,
  watch({ scenario: { params, yamlChanges }, wanted }) {
    const shareOf = (spread: unknown): number => Number.parseFloat(String(spread)) / 100;
    const least = shareOf(params["bidSpread"]) + shareOf(params["askSpread"]);
    return {
      tick() {
        if (yamlChanges) return undefined;
        for (const { strategy, quotes, touch } of wanted()) {
          if (strategy !== "pure-market-making") continue;
          const [bids, asks] = sides.map((side) =>
            quotes.filter((quote) => quote.side === side).map(({ price }) => price),
          );
          const mid = ((touch.BUY ?? Number.NaN) + (touch.SELL ?? Number.NaN)) / 2;
          const apart = (Math.min(...(asks ?? [])) - Math.max(...(bids ?? []))) / mid;
          if (apart < least * (1 - SLACK)) {
            return `a bid and an ask are ${apart} of the mid apart, the spreads are ${least} together`;
          }
        }
        return undefined;
      },
    };
  },
};
