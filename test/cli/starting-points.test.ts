import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { packageRoot } from "../../src/config/plugin-hooks.ts";
import { startingPoints, strategyFiles } from "../../src/cli/scaffold.ts";
import { replayStrategy, tryStrategy } from "../../src/testing/index.ts";
import bands from "../../templates/bands.ts";
import dca from "../../templates/dca.ts";
import pingPong from "../../templates/ping-pong.ts";

const book = { bids: [[99.9, 5]], asks: [[100.1, 5]] } as const;

test("each starting point gives a strategy and its test under the new name", () => {
  for (const from of startingPoints) {
    const files = strategyFiles("out", "mine", from);
    expect(files.map((file) => file.path)).toEqual(["out/mine.ts", "out/mine.test.ts"]);
    for (const { text } of files) expect(text).not.toContain("my-strategy");
    expect(files[0]?.text).toContain('name: "mine"');
    const template = new URL(
      `templates/${from === "plain" ? "my-strategy" : from}.ts`,
      packageRoot,
    );
    const lines = readFileSync(template, "utf8").split("\n");
    expect(lines.length).toBeLessThan(95);
    const imports = lines.filter((line) => line.includes("import "));
    expect(imports).toEqual([
      expect.stringMatching(/^import \{ amount, .* z \} from "touchline";$/),
    ]);
  }
});

test("ping-pong sells what it bought above its cost and both fees, and buys again afterwards", async () => {
  const bot = await tryStrategy(pingPong);
  bot.book(book);
  expect(bot.orders).toEqual([{ side: "BUY", price: 99.9, quantity: 1 }]);
  bot.trade({ side: "SELL", price: 99.9, quantity: 6 });
  bot.book({ bids: [[97.9, 5]], asks: [[98.1, 5]] });
  expect(bot.orders.map(({ side }) => side)).toEqual(["SELL"]);
  expect(bot.orders[0]?.price).toBeGreaterThan(99.9 * 1.001);
  bot.trade({ side: "BUY", price: 101, quantity: 6 });
  bot.book(book);
  expect(bot.orders.map(({ side }) => side)).toEqual(["BUY"]);
});

test("ping-pong sells what a partly filled bid has bought, and leaves the rest of the bid in its place", async () => {
  const bot = await tryStrategy(pingPong);
  const deep = { bids: [...book.bids, [99.89, 50]], asks: [...book.asks, [100.3, 50]] } as const;
  bot.book(deep);
  bot.trade({ side: "SELL", price: 99.9, quantity: 5.4 });
  bot.book(deep);
  const left = { side: "BUY", price: 99.9, quantity: 0.6 };
  expect(bot.orders).toContainEqual(left);
  expect(bot.orders).toContainEqual(expect.objectContaining({ side: "SELL", quantity: 0.39992 }));
});

test("bands keep orders while they are inside their band, and move those that the market has left", async () => {
  const bot = await tryStrategy(bands);
  bot.book(book);
  const first = bot.orders;
  expect(first).toHaveLength(4);
  bot.book({ bids: [[99.93, 5]], asks: [[100.13, 5]] });
  expect(bot.orders).toEqual(first);
  bot.book({ bids: [[100.1, 5]], asks: [[100.3, 5]] });
  expect(bot.orders).toHaveLength(4);
  expect(bot.orders).not.toEqual(first);
});

test("dca buys its value once each interval and stops at the total", async () => {
  const bot = await tryStrategy(dca, { params: { value: "100", total: "250", every: "1m" } });
  let bought = 0;
  for (let minute = 0; minute < 6; minute += 1) {
    bot.book(book);
    bot.wait("6s");
    bot.trade({ side: "SELL", price: 99.9, quantity: 20 });
    bot.book(book);
    bot.wait("54s");
    bought = bot.fills.reduce((sum, { price, quantity }) => sum + price * quantity, 0);
    expect(bought).toBeLessThanOrEqual(Math.min(250, 100 * (minute + 1)) + 1);
  }
  expect(bought).toBeGreaterThan(245);
});

test.each([
  ["ping-pong", () => replayStrategy(pingPong, { market: { duration: "2m", seed: 7 } })],
  ["bands", () => replayStrategy(bands, { market: { duration: "2m", seed: 7 } })],
  ["dca", () => replayStrategy(dca, { market: { duration: "2m", seed: 7 } })],
])("%s trades in a random market and leaves no open orders", async (_name, run) => {
  const result = await run();
  expect(result.fills, result.warnings.join("\n")).toBeGreaterThan(0);
  expect(result.ordersLeft).toBe(0);
});
