import { addFixed, type Fixed, ZERO } from "../../domain/fixed.ts";
import type { OrderId } from "../../domain/ids.ts";
import type { Side } from "../../domain/side.ts";
import type { Invariant } from "../invariant.ts";
import { MEETER } from "../simulated-markets.ts";
import { ToldFills } from "../told-fills.ts";

/**
 * From the fill that completes a quote on, `pure-market-making` places nothing on its side for as long as `coolDown` says. A run forgets what an
 * earlier one filled. Not judged in two markets at once, where it is not called for a fill in a market whose book is not live.
 */
export const coolDown: Invariant = {
  name: "cool-down",
  isOfMaker: true,
  watch({ scenario: { params, yamlChanges, secondMarket }, oracle, wanted }) {
    const { coolDown: written } = params;
    const coolMs = typeof written === "string" ? Number.parseFloat(written) : 0;
    const told = new ToldFills();
    const filled = new Map<OrderId, Fixed>();
    /** By strategy and side, on the bot's clock. */
    const untilMs = new Map<string, number>();
    const keyOf = (strategy: string, side: Side): string => `${strategy} ${side}`;
    return {
      runStarts: () => untilMs.clear(),
      entry({ batch: { nowMs }, effects, notes }) {
        if (!(coolMs > 0) || yamlChanges || secondMarket?.role !== undefined) return undefined;
        if (!wanted().some(({ strategy }) => strategy === "pure-market-making")) return undefined;
        for (const note of notes) {
          if (note.type !== "fill" || note.role !== "quote" || note.strategy === MEETER) continue;
          const { fill, strategy } = note;
          if (!told.add(fill)) continue;
          const sum = addFixed(filled.get(fill.orderId) ?? ZERO, fill.quantity);
          filled.set(fill.orderId, sum);
          if (sum !== oracle.exchange.order(fill.orderId)?.origQty) continue;
          untilMs.set(keyOf(strategy, fill.side), nowMs + coolMs);
          oracle.reach("cool-down");
        }
        for (const effect of effects) {
          if (effect.type !== "place") continue;
          const leftMs = (untilMs.get(keyOf(effect.strategy, effect.side)) ?? 0) - nowMs;
          if (leftMs > 0)
            return `a ${effect.side} was placed ${leftMs} ms before the end of the cool-down after a fill`;
        }
        return undefined;
      },
    };
  },
};
