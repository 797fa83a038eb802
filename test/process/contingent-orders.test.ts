import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";

/** A strategy's take profit and stop loss over real sockets, with a kill between the fill and the closing leg. */

const maker = { TOUCHLINE_KEY: `0x${"21".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"22".repeat(32)}` };
let venue: BotVenue;

beforeAll(async () => {
  venue = await BotVenue.start(`  - name: dips
    plugin: bracket-entry
    market: "1_2"
    params: { distance: 0.5%, size: "1", takeProfit: 1%, stopLoss: 1%, refresh: 200ms, tolerance: 5% , coolDown: 1h }
`);
});
afterAll(() => venue.stop());

interface Listed {
  readonly side: string;
  readonly orderType: string;
  readonly price: string;
  readonly status: string;
  readonly strategy?: string | null;
}

/** A list of the bot's account as people see it, with its journal at hand. */
async function list(what: "open" | "history" | "fills"): Promise<readonly Listed[]> {
  const args = ["order", what, "--venue", venue.rest, "--journal", venue.journal];
  const { lines } = await touchline(args, maker);
  return (lines[0]?.[what === "fills" ? "fills" : "orders"] ?? []) as readonly Listed[];
}

/** Fills that the running bot knows of. */
async function fillsOfBot(): Promise<unknown> {
  const { lines } = await touchline(["status", venue.botConfig], maker);
  const strategies = lines[0]?.["strategies"];
  return Array.isArray(strategies) ? strategies[0]?.fills : undefined;
}

function open(): Promise<readonly Listed[]> {
  return list("open");
}

async function until(isThere: (orders: readonly Listed[]) => boolean): Promise<readonly Listed[]> {
  return vi.waitFor(
    async () => {
      const orders = await open();
      expect(orders).toSatisfy(isThere);
      return orders;
    },
    { timeout: 60_000, interval: 100 },
  );
}

it("after a fill the legs survive kill -9, and the take profit closes the position in the next run", async () => {
  await venue.place(other, "buy", "1", "1900");
  await venue.place(other, "sell", "1", "2100");
  const first = new Touchline(["run", venue.botConfig], maker);
  await first.line("run");
  const [entry] = await until((orders) => orders.length === 1);
  expect(entry).toMatchObject({ side: "BUY", price: "1990", strategy: "dips" });

  await venue.place(other, "sell", "1", "1990");
  const legs = await until((orders) => orders.length === 2);
  expect(legs.map(({ orderType, strategy }) => `${orderType} ${strategy}`).toSorted()).toEqual([
    "STOP_LOSS_MARKET dips",
    "TAKE_PROFIT_LIMIT dips",
  ]);
  // A fill that the first run has not journaled yet would be one of the next run.
  await expect.poll(fillsOfBot, { timeout: 60_000 }).toBe(1);
  first.kill("SIGKILL");
  await first.exit;
  expect(await open()).toEqual(legs);

  const again = new Touchline(["run", venue.botConfig], maker);
  await again.line("run");
  await pause(1_500);
  expect(await open()).toEqual(legs);
  await venue.place(other, "buy", "1", "2010");
  await until((orders) => orders.every(({ orderType }) => orderType === "LIMIT"));
  again.kill("SIGTERM");
  expect(await again.exit).toBe(0);
  expect(await again.line("summary")).toMatchObject({
    fills: 1,
    makerFills: 1,
    ordersLeft: 0,
    foreignOrders: 0,
    unknownOutcomes: 0,
  });
  expect(await open()).toEqual([]);

  const byHand = ["order", "place", "1_2", "sell", "0.1", "1900", "--venue", venue.rest];
  expect((await touchline(byHand, maker)).code).toBe(0);
  const fills = (await list("fills")).map(({ side, price, strategy }) => [side, price, strategy]);
  expect(fills).toEqual([
    // By hand, first what was left of the one that took the leg.
    ["SELL", "1900", null],
    ["SELL", "2010", null],
    // The leg and the quote, of two runs.
    ["SELL", "2009.9", "dips"],
    ["BUY", "1990", "dips"],
  ]);
  const history = await list("history");
  expect(history.find(({ orderType }) => orderType === "STOP_LOSS_MARKET")?.strategy).toBe("dips");

  const journal = ["journal", "verify", venue.journal, "--config", venue.botConfig];
  const verified = await touchline(journal, maker);
  expect(verified.code, verified.stderr).toBe(0);
  expect(verified.lines.at(-1)).toMatchObject({ event: "verified", identical: true });
}, 180_000);
