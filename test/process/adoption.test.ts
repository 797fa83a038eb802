import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Touchline, touchline } from "../support/touchline-process.ts";
import { VenueProcess } from "./venue-process.ts";

/** A bot is killed and started again while the market stands still: its orders are still within tolerance and stay. */

const maker = { TOUCHLINE_KEY: `0x${"11".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"12".repeat(32)}` };
let venue: VenueProcess;

beforeAll(async () => {
  venue = await VenueProcess.start(`  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5", levels: 2, levelSpread: 0.05%, refresh: 200ms, tolerance: 0.02% }
`);
});
afterAll(() => venue.stop());

async function openIds(): Promise<string[]> {
  const { lines } = await touchline(["order", "open", "--venue", venue.rest], maker);
  const orders = (lines[0]?.["orders"] ?? []) as { orderId: string }[];
  return orders.map(({ orderId }) => orderId).sort();
}

it("after kill -9 the next run adopts its orders by id, sends nothing new, and cancels them at its end", async () => {
  await venue.place(other, "buy", "1", "1990");
  await venue.place(other, "sell", "1", "2010");
  const first = new Touchline(["run", venue.botConfig], maker);
  await first.line("run");
  let before: string[] = [];
  for (let attempt = 0; attempt < 100 && before.length < 4; attempt += 1) {
    await pause(100);
    before = await openIds();
  }
  expect(before).toHaveLength(4);
  first.kill("SIGKILL");
  await first.exit;
  expect(await openIds()).toEqual(before);

  const again = new Touchline(["run", venue.botConfig], maker);
  await again.line("run");
  await pause(2_500);
  expect(await openIds()).toEqual(before);
  again.kill("SIGTERM");
  expect(await again.exit).toBe(0);
  expect(await again.line("summary")).toMatchObject({
    quotesPlaced: 0,
    quotesCanceled: 4,
    ordersLeft: 0,
    foreignOrders: 0,
    unknownOutcomes: 0,
  });
  expect(await openIds()).toEqual([]);
}, 40_000);
