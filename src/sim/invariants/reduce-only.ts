import { absFixed, addFixed, fixedText, subFixed, ZERO, type Fixed } from "../../domain/fixed.ts";
import type { Effect } from "../../kernel/effect.ts";
import type { Invariant } from "../invariant.ts";
import { LadderSteps } from "../ladder-steps.ts";
import type { Oracle } from "../oracle.ts";

/**
 * At the step `reduceOnly` the quotes that a step of the kernel orders are all on the side that brings the position nearer to 0, and
 * together no larger than it. The position is the bot's by its fills, or the venue's: the bot may know of an execution before its fill.
 */
export const reduceOnly: Invariant = {
  name: "reduce-only",
  watch({ scenario, oracle }) {
    const steps = new LadderSteps(scenario);
    // Each strategy reduces a position of its own.
    const hasOthers = scenario.hasSecondStrategy || scenario.yamlChanges;
    return {
      runStarts() {
        steps.runStarts(oracle.hasJournalGap);
      },
      entry(entry) {
        steps.entry(entry);
        if (hasOthers || steps.hardest !== "reduceOnly" || oracle.hasJournalGap) return undefined;
        const change = orderedBase(oracle, entry.effects);
        if (change === undefined) return undefined;
        const { base } = oracle.money.all.position;
        if (reduces(base, change)) return undefined;
        const atVenue = oracle.changeBy(oracle.tradesAtVenue(), oracle.market.baseToken);
        return reduces(atVenue, change)
          ? undefined
          : `buys of ${fixedText(change.BUY)} and sells of ${fixedText(change.SELL)} were ordered at a position of ${fixedText(base)}`;
      },
    };
  },
};

interface Ordered {
  readonly BUY: Fixed;
  readonly SELL: Fixed;
}

/** What the ordered quotes may execute on each side; undefined without any. */
function orderedBase(oracle: Oracle, effects: readonly Effect[]): Ordered | undefined {
  const ordered = { BUY: ZERO, SELL: ZERO };
  let isAny = false;
  for (const effect of effects) {
    if (effect.type === "place" && effect.orderMode === 0) {
      ordered[effect.side] = addFixed(ordered[effect.side], effect.quantity);
    } else if (effect.type === "modify") {
      const executed = oracle.exchange.order(effect.orderId)?.executedQty ?? ZERO;
      ordered[effect.side] = addFixed(ordered[effect.side], subFixed(effect.newQty, executed));
    } else continue;
    isAny = true;
  }
  return isAny ? ordered : undefined;
}

function reduces(held: Fixed, { BUY, SELL }: Ordered): boolean {
  const [reducing, other] = held > ZERO ? [SELL, BUY] : [BUY, SELL];
  return other <= ZERO && reducing <= absFixed(held);
}
