import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";

/** Strategies that do not return, in a bot that runs as a process of its own. */

const maker = { TOUCHLINE_KEY: `0x${"41".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"42".repeat(32)}` };
const oneSecond = ["--set", "watchdog.maxBlocked=1s"];
let venue: BotVenue;
let folder: string;

beforeAll(async () => {
  venue = await BotVenue.start(ONE_LEVEL_MAKER);
  folder = path.dirname(venue.botConfig);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
});
afterAll(() => venue.stop());

/** Takes no processor from other tests. */
const LOOP = "for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);";

/** A strategy that does this in each call once its two orders have rested for a second. */
function strategyThat(name: string, does: string): string {
  const file = path.join(folder, `${name}.mjs`);
  writeFileSync(
    file,
    `import { existsSync } from "node:fs";
import { setQuotes, z } from "touchline";
let firstMs;
export default {
  name: "${name}",
  params: z.unknown(),
  init: () => ({}),
  decide({ view }) {
    if (view.orders.filter(({ isWorking }) => isWorking).length === 2) firstMs ??= view.nowMs;
    if (view.nowMs - firstMs > 1_000) { ${does} }
    return setQuotes({
      bids: [{ price: 1900, size: "0.5" }],
      asks: [{ price: 2100, size: "0.5" }],
      wakeAtMs: view.nowMs + 100,
    });
  },
};
`,
  );
  return file;
}

/** Runs a bot that would go on forever if nothing ended it. */
function run(config: string, strategy: string): Touchline {
  const bot = new Touchline(["run", config, "--strategy", strategy, ...oneSecond], maker);
  onTestFinished(() => bot.kill("SIGKILL"));
  return bot;
}

it("a strategy that loops is ended with the bot: exit code 1, its own orders canceled, no others", async () => {
  const bot = run(venue.botConfig, strategyThat("loops", LOOP));
  expect(await bot.exit).toBe(1);
  expect(await bot.line("error")).toMatchObject({
    code: "STRATEGY_BLOCKED",
    message: expect.stringContaining("its orders are canceled"),
  });
  expect(await venue.openIds(maker)).toEqual([]);
  expect(await venue.openIds(other)).toHaveLength(2);
});

it("a bot whose call returns while the watchdog cancels sends nothing any more", async () => {
  const slow = await BotVenue.start(ONE_LEVEL_MAKER, {
    faults: [{ kind: "latency", delay: "3s", match: "POST *" }],
  });
  const file = path.join(path.dirname(slow.botConfig), "returns.mjs");
  // Once both orders rest it blocks for longer than the limit, then wants an order more on each side.
  writeFileSync(
    file,
    `import { setQuotes, z } from "touchline";
let hasBlocked = false;
export default {
  name: "returns",
  params: z.unknown(),
  init: () => ({}),
  decide({ view }) {
    const resting = view.orders.filter(({ isWorking }) => isWorking);
    if (!hasBlocked && resting.length === 2) {
      hasBlocked = true;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    }
    const quotes = (price, step) => [price, ...(hasBlocked ? [price + step] : [])].map((each) => ({ price: each, size: "0.5" }));
    return setQuotes({ bids: quotes(1950, -10), asks: quotes(2050, 10), wakeAtMs: view.nowMs + 100 });
  },
};
`,
  );
  await slow.place(other, "buy", "1", "1990");
  await slow.place(other, "sell", "1", "2010");
  const bot = run(slow.botConfig, file);
  expect(await bot.exit).toBe(1);
  expect(bot.lines.at(-1)).toMatchObject({
    code: "STRATEGY_BLOCKED",
    message: expect.stringContaining("its orders are canceled"),
  });
  // The venue carries out late what it has received.
  await pause(4_000);
  expect(await slow.openIds(maker)).toEqual([]);
  await slow.stop();
});

it("a bot whose process was stopped for longer than a call may take goes on; an error that nothing catches, such as that of a strategy's timer, ends it and is named", async () => {
  const file = path.join(folder, "throws");
  const throwLater = `if (existsSync(${JSON.stringify(file)}))
      setTimeout(() => { throw new Error("nobody waits for me"); }, 0);`;
  const bot = run(venue.botConfig, strategyThat("late", throwLater));
  await bot.line("run");
  await venue.untilOpen(maker, 2);
  bot.kill("SIGSTOP");
  await pause(3_000);
  bot.kill("SIGCONT");
  await pause(2_000);
  expect(await venue.openIds(maker)).toHaveLength(2);
  writeFileSync(file, "");
  expect(await bot.exit).toBe(1);
  expect(await bot.line("error")).toMatchObject({
    code: "UNCAUGHT_ERROR",
    message: expect.stringContaining("nobody waits for me"),
  });
  expect(await bot.line("summary")).toMatchObject({ ordersLeft: 0 });
  expect(await venue.openIds(maker)).toEqual([]);
});
