import { DashboardFold } from "../../src/dashboard/dashboard-fold.ts";
import { setQuotes } from "../../src/strategy/contract.ts";
import { Harness, market } from "../kernel/harness.ts";

/** What the driver knows beside the steps. */
export const driver = {
  latency: { tickToOrderP50Us: 12, tickToOrderP99Us: null },
  calls: [{ strategy: "maker", hook: "decide", count: 1, p50Us: 1, p99Us: 2, maxUs: 3 } as const],
  sources: [],
  missed: 0,
  nets: [],
  uptimes: new Map([["maker", { bid: 0.9, ask: 0.8, obligation: 0.5 }]]),
  standstills: new Map([["maker", "paused" as const]]),
  described: new Map([["maker", { hitRate: 0.4 }]]),
};

/** A bot with a bid of 1 at 1999, where others have 5, and the fold that watches it. */
export function quotingBot() {
  const fold = new DashboardFold([{ strategy: "maker", market }], 20);
  const bot = new Harness({
    decide: () => setQuotes({ bids: [{ price: 1999, size: "1" }], reason: { SELL: "buying" } }),
  });
  const step = bot.kernel.step.bind(bot.kernel);
  bot.kernel.step = (batch) => {
    const result = step(batch);
    fold.observe({ batch, ...result });
    return result;
  };
  bot.begin();
  bot.step(bot.accepted(1), bot.event(1, "NEW"), bot.depth(101, [1999, 6], []));
  return { bot, fold };
}

/** A bot with an order, fills and a warning. */
export function observed(): DashboardFold {
  const { bot, fold } = quotingBot();
  for (const tradeId of ["t1", "t2", "t3"]) {
    bot.after(1000, bot.event(1, "PARTIALLY_FILLED", { quantity: "0.1", tradeId }));
  }
  bot.step({ type: "operator", command: "resume", by: { who: "ops", from: "10.0.0.1" } });
  return fold;
}
