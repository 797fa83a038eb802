import { counted } from "../base/counted.ts";
import type { StatisticsResult } from "./fill-statistics.ts";
import type { UsedModels } from "./used-models.ts";

/** Fewer filled orders than this are too few for a conclusion. */
const ENOUGH_ORDERS = 100;

/** What a replay's figures leave out, one sentence each. `parts` are those of its strategies. */
export function notModelled(
  { fills }: UsedModels,
  parts: readonly StatisticsResult[],
): readonly string[] {
  const sum = (of: (part: StatisticsResult) => number): number =>
    parts.reduce((all, part) => all + of(part), 0);
  const orders = sum(({ filledOrders }) => filledOrders);
  const maker = sum(({ makerFills }) => makerFills);
  const free = sum(({ fillsWithNothingAhead }) => fillsWithNothingAhead);
  const sentences = [
    "nobody reacts to the bot: recorded orders and trades stay the same, whatever it quotes or takes.",
  ];
  if (fills.queue === "candles") {
    sentences.push("candles have no queue and no order of events inside a candle.");
  } else if (maker > 0) {
    sentences.push(
      `${((100 * free) / maker).toFixed(0)} % of the maker fills had nothing ahead in the queue when their order entered: nobody else was recorded at that price, so the queue model says little about them.`,
    );
  }
  if (orders < ENOUGH_ORDERS) {
    sentences.push(
      `${counted(orders, "filled order")}: too few for a conclusion (under ${ENOUGH_ORDERS}).`,
    );
  }
  return sentences;
}
