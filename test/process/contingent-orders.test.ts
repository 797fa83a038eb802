import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Touchline, touchline } from "./touchline-process.ts";

/** A strategy's take profit and stop loss over real sockets: filled, killed in the middle, taken up, closed by a leg. */

const maker = { TOUCHLINE_KEY: `0x${"21".repeat(32)}` };
const other = { TOUCHLINE_KEY: `0x${"22".repeat(32)}` };
let folder = "";
let venue: Touchline;
let rest = "";
const config = () => path.join(folder, "bot.yaml");

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-contingent-"));
  writeFileSync(
    path.join(folder, "venue.yaml"),
    'flow: none\nfaucet: { "1": "100", "2": "250000" }\n',
  );
  venue = new Touchline(["venue", path.join(folder, "venue.yaml"), "--port", "0"]);
  const listening = await venue.line("listening");
  rest = String(listening["rest"]);
  writeFileSync(
    config(),
    `venue: { rest: "${rest}", ws: "${String(listening["ws"])}", chainId: 1001 }
account: { signer: { type: env, name: TOUCHLINE_KEY } }
journal: { path: ./journal }
strategies:
  - name: dips
    plugin: bracket-entry
    market: "1_2"
    params: { distance: 0.5%, size: "1", takeProfit: 1%, stopLoss: 1%, refresh: 200ms, tolerance: 5% , coolDown: 1h }
`,
  );
});
afterAll(async () => {
  venue.kill("SIGTERM");
  expect(await venue.exit).toBe(0);
  rmSync(folder, { recursive: true, force: true });
});

interface Listed {
  readonly side: string;
  readonly orderType: string;
  readonly price: string;
  readonly status: string;
  readonly strategy?: string | null;
}

/** A list of the bot's account as people see it, with its journal at hand. */
async function list(what: "open" | "history" | "fills"): Promise<readonly Listed[]> {
  const args = ["order", what, "--venue", rest, "--journal", path.join(folder, "journal")];
  const { lines } = await touchline(args, maker);
  return (lines[0]?.[what === "fills" ? "fills" : "orders"] ?? []) as readonly Listed[];
}

function open(): Promise<readonly Listed[]> {
  return list("open");
}

async function until(isThere: (orders: readonly Listed[]) => boolean): Promise<readonly Listed[]> {
  let orders: readonly Listed[] = [];
  for (let attempt = 0; attempt < 60; attempt += 1) {
    orders = await open();
    if (isThere(orders)) return orders;
    await pause(100);
  }
  throw new Error(`never came: ${JSON.stringify(orders)}`);
}

async function trade(side: "buy" | "sell", quantity: string, price: string): Promise<void> {
  const made = await touchline(
    ["order", "place", "1_2", side, quantity, price, "--venue", rest],
    other,
  );
  expect(made.code, made.stderr).toBe(0);
}

it("its quote is filled, its legs outlive kill -9, and the take profit closes the position of the next run", async () => {
  await trade("buy", "1", "1900");
  await trade("sell", "1", "2100");
  const first = new Touchline(["run", config()], maker);
  await first.line("run");
  const [entry] = await until((orders) => orders.length === 1);
  expect(entry).toMatchObject({ side: "BUY", price: "1990", strategy: "dips" });

  await trade("sell", "1", "1990");
  const legs = await until((orders) => orders.length === 2);
  expect(legs.map(({ orderType, strategy }) => `${orderType} ${strategy}`).toSorted()).toEqual([
    "STOP_LOSS_MARKET dips",
    "TAKE_PROFIT_LIMIT dips",
  ]);
  first.kill("SIGKILL");
  await first.exit;
  expect(await open()).toEqual(legs);

  const again = new Touchline(["run", config()], maker);
  await again.line("run");
  await pause(1_500);
  expect(await open()).toEqual(legs);
  await trade("buy", "1", "2010");
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

  const byHand = ["order", "place", "1_2", "sell", "0.1", "1900", "--venue", rest];
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

  const journal = ["journal", "verify", path.join(folder, "journal"), "--config", config()];
  const verified = await touchline(journal, maker);
  expect(verified.code, verified.stderr).toBe(0);
  expect(verified.lines.at(-1)).toMatchObject({ event: "verified", identical: true });
}, 60_000);
