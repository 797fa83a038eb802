import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Touchline } from "../support/touchline-process.ts";
import { BotVenue } from "./bot-venue.ts";

/** A bot is killed and started again while the market stands still: its orders are still within tolerance and stay. */

const maker = { TOUCHLINE_KEY: `0x${"11".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"12".repeat(32)}` };
let venue: BotVenue;

beforeAll(async () => {
  venue = await BotVenue.start(`  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5", levels: 2, levelSpread: 0.05%, refresh: 200ms, tolerance: 0.02% }
`);
});
afterAll(() => venue.stop());

it("after kill -9 the next run adopts its orders by id, sends nothing new, cancels them at its end, and never touches an order that it did not place", async () => {
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
  await venue.place(maker, "buy", "0.2", "100");
  const byHand = await venue.openIds(maker);
  const first = new Touchline(["run", venue.botConfig], maker);
  await first.line("run");
  const before = await venue.untilOpen(maker, 5);
  first.kill("SIGKILL");
  await first.exit;
  expect(await venue.openIds(maker)).toEqual(before);

  const again = new Touchline(["run", venue.botConfig], maker);
  await again.line("run");
  await pause(2_500);
  expect(await venue.openIds(maker)).toEqual(before);
  again.kill("SIGTERM");
  expect(await again.exit).toBe(0);
  expect(await again.line("summary")).toMatchObject({
    quotesPlaced: 0,
    quotesCanceled: 4,
    ordersLeft: 0,
    foreignOrders: 1,
    unknownOutcomes: 0,
  });
  expect(await venue.openIds(maker)).toEqual(byHand);
}, 120_000);
