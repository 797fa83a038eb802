import { expect, test } from "vitest";
import { z } from "zod";
import { defineStrategy, setQuotes } from "../../src/strategy/contract.ts";
import type { Input } from "../../src/kernel/input.ts";
import { Harness, market } from "./harness.ts";

const params = z.strictObject({ bid: z.number(), ask: z.number().default(2010) });

/** Quotes a bid and an ask at its parameters, and counts how often it gets new ones. */
const quoter = defineStrategy({
  name: "quoter",
  params,
  init: () => ({ given: 0 }),
  tuned({ state }) {
    state.given += 1;
  },
  decide: ({ params: set }) =>
    setQuotes({
      bids: [{ price: set.bid, size: "1" }],
      asks: [{ price: set.ask, size: "1" }],
      wakeOn: "orders",
    }),
});

function quoting() {
  const { marketId } = market;
  const strategies = ["one", "two"].map((name, at) => ({
    name,
    definition: quoter,
    params: { bid: 1980 + at, ask: 2010 + at },
    marketId,
    seed: 1,
  }));
  const bot = new Harness({
    decide: () => setQuotes({}),
    config: { strategies, useModify: false },
  });
  bot.begin();
  for (const intent of [1, 2, 3, 4]) bot.step(bot.accepted(intent), bot.event(intent, "NEW"));
  return bot;
}

const tune = (...strategies: Extract<Input, { type: "params" }>["strategies"]): Input => ({
  type: "params",
  strategies,
});

test("new parameters move what they change and keep the orders that still fit", () => {
  const bot = quoting();
  const effects = bot.step(tune({ name: "one", params: { bid: 1985 } }));
  const commands = effects.filter(({ type }) => type === "place" || type === "cancel");
  expect(commands).toMatchObject([
    { type: "cancel", strategy: "one" },
    { type: "place", strategy: "one", side: "BUY", price: 1985 },
  ]);
  expect(bot.notes).toContainEqual({ type: "params", strategy: "one", version: 2 });
});

test.each([
  ["parameters that the schema refuses", { name: "two", params: { bid: "high" } }],
  ["a strategy that the bot does not have", { name: "three", params: { bid: 1 } }],
])("%s change nothing at all", (_, wrong) => {
  const bot = quoting();
  const effects = bot.step(tune({ name: "one", params: { bid: 1985 } }, wrong));
  expect(effects.filter(({ type }) => type === "place")).toEqual([]);
  expect(bot.notes).toContainEqual(
    expect.objectContaining({ type: "warning", code: "PARAMS_REFUSED" }),
  );
});

test("fills carry the version of the parameters that their strategy had", () => {
  const bot = quoting();
  bot.step(tune({ name: "one", params: { bid: 1980 } }));
  bot.step(bot.event(1, "FILLED", { quantity: "1", tradeId: "1" }));
  expect(bot.notes.find(({ type }) => type === "fill")).toMatchObject({
    strategy: "one",
    paramsVersion: 2,
  });
});
