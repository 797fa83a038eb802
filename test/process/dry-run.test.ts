import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ONE_LEVEL_MAKER } from "../support/bot-yaml.ts";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";

const maker = { TOUCHLINE_KEY: `0x${"41".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"42".repeat(32)}` };
let venue: BotVenue;

beforeAll(async () => {
  venue = await BotVenue.start(ONE_LEVEL_MAKER);
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
});
afterAll(() => venue.stop());

async function openIds(): Promise<readonly string[]> {
  const { lines } = await touchline(["order", "open", "--venue", venue.rest], maker);
  const orders = lines[0]?.["orders"];
  if (!Array.isArray(orders)) throw new Error("no list of orders");
  return orders.map((order) => String(order.orderId)).toSorted();
}

/** The ids of two open orders, as soon as there are so many. */
async function bothIds(): Promise<readonly string[]> {
  return vi.waitFor(
    async () => {
      const ids = await openIds();
      expect(ids).toHaveLength(2);
      return ids;
    },
    { timeout: 60_000, interval: 100 },
  );
}

/** The segments of the bot's journal with their bytes. */
function segments(): readonly (readonly [string, string])[] {
  return readdirSync(venue.journal)
    .toSorted()
    .map((name) => path.join(venue.journal, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => [file, readFileSync(file).toString("hex")]);
}

/** A dry run that has signed what it would have sent, and was stopped then. */
async function dryRun(): Promise<Touchline> {
  const bot = new Touchline(["run", venue.botConfig, "--dry-run"], maker);
  await bot.said("dry run: signed, not sent");
  bot.kill("SIGTERM");
  expect(await bot.exit, bot.stderr).toBe(0);
  return bot;
}

test("a dry run touches neither orders nor journal nor socket of its bot, killed or running, and exits with 0", async () => {
  const bot = new Touchline(["run", venue.botConfig], maker);
  await bot.line("run");
  const open = await bothIds();
  const beside = await dryRun();
  expect(beside.lines[0]).toMatchObject({ event: "run", journal: `${venue.journal}-dry-run` });
  expect(await openIds()).toEqual(open);
  const status = await touchline(["status", venue.botConfig], maker);
  expect(status).toMatchObject({ code: 0, lines: [{ strategies: [{ orders: 2 }] }] });

  bot.kill("SIGKILL");
  await bot.exit;
  const journal = segments();
  const after = await dryRun();
  expect(after.lines.at(-1)).toMatchObject({ dryRun: true, ordersLeft: 0, foreignOrders: 2 });
  expect(after.stderr).toContain("has 2 orders that may be open; they are left as they are");
  expect(await openIds()).toEqual(open);
  expect(segments()).toEqual(journal);
  expect(existsSync(path.join(`${venue.journal}-dry-run`, "control.sock"))).toBe(false);
}, 120_000);
