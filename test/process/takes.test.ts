import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it, type TestContext, vi } from "vitest";
import { addFixed, fixedText, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import type { VenueDocument } from "../../src/venue/config.ts";
import { isSoak } from "../support/soak.ts";
import { Touchline, TouchlineHere, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";
import { PATIENCE } from "../support/patience.ts";

/** A bot that takes; what is killed is a process of its own. Each test waits for its bots most of the time, so some run at the same time. */

const taker = { TOUCHLINE_KEY: `0x${"51".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"52".repeat(32)}` };
const plugin = path.resolve(import.meta.dirname, "one-take.ts");
const entry = (more = ""): string => `  - name: taker
    plugin: ${JSON.stringify(plugin)}
    market: "1_2"
${more}`;

/** How often the bot is killed in each state. */
const KILLS = isSoak ? 5 : 1;

/** Bid 1990 and ask 2010, 5 each. */
async function market(
  { onTestFinished }: TestContext,
  faults: VenueDocument["faults"] = [],
  more = "",
): Promise<BotVenue> {
  const venue = await BotVenue.start(entry(more), { faults });
  onTestFinished(() => venue.stop());
  await venue.offer(other, "BUY", "1990", "5");
  await venue.offer(other, "SELL", "2010", "5");
  return venue;
}

const run = (venue: BotVenue): TouchlineHere => new TouchlineHere(["run", venue.botConfig], taker);

async function bought(venue: BotVenue): Promise<string> {
  let sum: Fixed = ZERO;
  for (const { side, quantity } of await venue.trades(taker)) {
    if (side === "BUY") sum = addFixed(sum, quantity);
  }
  return fixedText(sum);
}

const untilBought = (venue: BotVenue, amount: string): Promise<void> =>
  vi.waitFor(async () => expect(await bought(venue)).toBe(amount), PATIENCE);

const order = "POST /api/v1/order";
const cancel = "POST /api/v1/order/cancel";

interface KilledIn {
  readonly state: string;
  /** For the long tests. */
  readonly isLong?: true;
  readonly faults: VenueDocument["faults"];
  /** Resolves when the bot is in the state. */
  readonly until: (venue: BotVenue, bot: Touchline) => Promise<unknown>;
  /** What the account has bought in the end, at least and at most. */
  readonly bought: readonly string[];
}

const SENT = '"role":"take"';

const states: readonly KilledIn[] = [
  {
    state: "before it runs, or soon after",
    isLong: true,
    faults: [],
    until: async (_, bot) => {
      await Promise.race([bot.line("run"), pause(Math.random() * 3_000)]);
      await pause(Math.random() * 400);
    },
    bought: ["0.5"],
  },
  {
    state: "sent, and traded without a response",
    faults: [{ kind: "timeout-after", match: order, count: 1, cut: "20s" }],
    until: (venue) => untilBought(venue, "0.5"),
    bought: ["0.5"],
  },
  {
    state: "sent, and not at the venue yet",
    isLong: true,
    faults: [{ kind: "latency", match: order, delay: "2s", count: 1 }],
    until: (_, bot) => bot.said(SENT),
    bought: ["0.5"],
  },
  {
    state: "sent, and never at the venue",
    isLong: true,
    faults: [{ kind: "timeout-before", match: order, count: 1, cut: "20s" }],
    until: (_, bot) => bot.said(SENT),
    // Until its nonce has expired the order is in doubt.
    bought: ["0"],
  },
  {
    state: "resting, with a cancel that the venue did not get",
    isLong: true,
    faults: [
      { kind: "latency", match: order, delay: "1s", count: 3 },
      { kind: "timeout-before", match: cancel, count: 1, cut: "20s" },
    ],
    until: async (venue, bot) => {
      await bot.said(SENT);
      // What it wanted to take is gone when it arrives.
      await venue.cancelAll(other);
      await bot.said("it did not trade at once");
      await pause(Math.random() * 300);
    },
    bought: ["0"],
  },
  {
    state: "over",
    isLong: true,
    faults: [],
    until: async (venue) => {
      await untilBought(venue, "0.5");
      await pause(Math.random() * 500);
    },
    bought: ["0.5"],
  },
];

describe.concurrent("a take of a bot that is killed", () => {
  const killedIn = states.filter(({ isLong }) => isSoak || isLong !== true);
  it.for(killedIn.flatMap((one) => Array.from({ length: KILLS }, () => one)))(
    "$state: the next start settles it, and trades nothing twice",
    async ({ faults, until, bought: amounts }, context) => {
      const venue = await market(context, faults);
      const words = ["run", venue.botConfig, "--set", "log.level=debug"];
      const first = new Touchline(words, taker);
      await until(venue, first);
      first.kill("SIGKILL");
      await first.exit;
      const second = run(venue);
      await second.line("run");
      await vi.waitFor(
        async () => context.expect(amounts).toContain(await bought(venue)),
        PATIENCE,
      );
      // Nothing rests, and nothing more is bought.
      await vi.waitFor(
        async () => context.expect(await venue.openIds(taker)).toEqual([]),
        PATIENCE,
      );
      await pause(3_000);
      context.expect(amounts).toContain(await bought(venue));
      second.stop();
      await second.exit;
    },
  );
});

describe.concurrent("flatten", () => {
  const flatten = (venue: BotVenue, ...words: readonly string[]) =>
    touchline(["flatten", venue.botConfig, ...words], taker);

  it("says what is left when nothing is offered, works the position of a running bot off, and of a stopped one by a bot of its own", async (context) => {
    const venue = await market(context);
    const bot = run(venue);
    await untilBought(venue, "0.5");
    context.expect(await flatten(venue, "--limit", "100%")).toMatchObject({ code: 2 });
    await venue.cancelAll(other);
    context.expect(await flatten(venue, "--within", "1s")).toMatchObject({
      code: 1,
      lines: [{ event: "flatten", left: [{ strategy: "taker", isDust: false }] }],
    });
    await venue.offer(other, "BUY", "1990", "5");
    await venue.offer(other, "SELL", "2010", "5");
    context.expect(await flatten(venue)).toMatchObject({ code: 0, lines: [{ event: "flatten" }] });
    const sold = (await venue.trades(taker)).filter(({ side }) => side === "SELL");
    context.expect(sold.map(({ quantity }) => fixedText(quantity)).length).toBeGreaterThan(0);
    context.expect(await touchline(["status", venue.botConfig], taker)).toMatchObject({
      lines: [{ strategies: [{ paused: true }] }],
    });
    bot.stop();
    context.expect(await bot.exit).toBe(0);
    context.expect(await flatten(venue)).toMatchObject({ code: 0 });
  });

  it.runIf(isSoak)("comes before the end of a bot with onStop: flatten", async (context) => {
    const venue = await market(context, [], "    onStop: flatten\n");
    const bot = run(venue);
    await untilBought(venue, "0.5");
    bot.stop();
    context.expect(await bot.exit).toBe(0);
    context
      .expect(await bot.line("summary"))
      .toMatchObject({ ordersLeft: 0, position: { base: "0" } });
  });
});
