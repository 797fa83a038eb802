import { z } from "zod";
import type { BotConfig } from "../../src/config/load-bot-config.ts";
import { defineStrategy, keepQuotes, setQuotes } from "../../src/strategy/contract.ts";

const STEP_MS = 250;
const LEVELS = [1, 2, 3];

/** Three quotes on each side, 1 basis point apart. Between its decisions it sleeps, so that a replay can absorb market data. */
const sleepingGrid = defineStrategy({
  name: "sleeping-grid",
  params: z.strictObject({ size: z.string() }),
  init: () => ({}),
  decide({ view, params: { size } }) {
    const wake = { wakeAtMs: view.nowMs + STEP_MS, wakeOn: "time" as const };
    const { mid } = view.book;
    if (mid === undefined) return keepQuotes(wake);
    const quotes = (side: 1 | -1) =>
      LEVELS.map((level) => ({ price: mid * (1 + side * level * 0.0001), size }));
    return setQuotes({ bids: quotes(-1), asks: quotes(1), tolerance: 0.0001, ...wake });
  },
});

/** The same bot with the grid in place of its strategies' own rules. `size`: quantity of a quote in base token. */
export function withSleepingGrid(bot: BotConfig, size: string): BotConfig {
  const params = { size };
  const strategies = bot.strategies.map((strategy) => ({
    ...strategy,
    definition: sleepingGrid,
    params,
  }));
  return { ...bot, strategies };
}
