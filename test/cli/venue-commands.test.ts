import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadVenueConfig } from "../../src/config/load-venue-config.ts";
import { openLog } from "../../src/cli/log.ts";
import { openPaperVenue } from "../../src/cli/paper-venue.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { marketId, type OrderId } from "../../src/domain/ids.ts";
import { headerOf } from "../journal/journal-fixture.ts";
import { idsOf, type Ran, runLine } from "./run-line.ts";

/** The commands as typed, against a real venue over real sockets. */

const maker = { TOUCHLINE_KEY: `0x${"11".repeat(32)}`, OTHER_KEY: `0x${"22".repeat(32)}` };
const makerAddress = "0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a";

let venue: RunningVenue;
let folder = "";
beforeAll(async () => {
  const config = loadVenueConfig(undefined, { overrides: ["flow=none"] });
  const log = openLog("warn", {});
  venue = await openPaperVenue({ config, host: "127.0.0.1", port: 0, log });
  folder = mkdtempSync(path.join(tmpdir(), "touchline-orders-"));
});
afterAll(async () => {
  await venue.close();
  rmSync(folder, { recursive: true, force: true });
});

function type(line: string): Promise<Ran> {
  return runLine([...line.split(" "), "--venue", venue.rest, "--json"], maker);
}

test("an order is placed, shown, partly filled and canceled", async () => {
  const placed = await type("order place ETH/USDT buy 2 1834.5");
  expect(placed).toMatchObject({ code: 0, events: [{ event: "order.place", status: "NEW" }] });
  const id = String(placed.events[0]?.["orderId"]);

  const depth = await type("market depth 1_2 --limit 1");
  expect(depth.events).toMatchObject([
    {
      event: "market.depth",
      marketId: "1_2",
      bids: [{ price: "1834.5", quantity: "2" }],
      asks: [],
    },
  ]);

  const taken = await type("order place 1_2 sell 0.5 market --signer-env OTHER_KEY");
  expect(taken).toMatchObject({ code: 0, events: [{ status: "FILLED", executedQty: "0.5" }] });

  const open = await type("order open --market 1_2");
  expect(open.events).toMatchObject([
    { address: makerAddress, orders: [{ orderId: id, status: "PARTIALLY_FILLED" }] },
  ]);
  const fills = await type("order fills");
  expect(fills.events).toMatchObject([
    { fills: [{ orderId: id, isMaker: true, quantity: "0.5" }] },
  ]);
  const trades = await type("market trades 1_2");
  expect(trades.events).toMatchObject([{ trades: [{ price: "1834.5", isBuyerMaker: true }] }]);

  expect(await type(`order cancel ${id}`)).toMatchObject({
    code: 0,
    events: [{ event: "order.cancel", status: "CANCELED", executedQty: "0.5" }],
  });
  expect((await type(`order show ${id}`)).events).toMatchObject([
    { event: "order.show", status: "CANCELED" },
  ]);
  expect((await type("order history")).events).toMatchObject([{ orders: [{ orderId: id }] }]);
  const again = await type(`order cancel ${id}`);
  expect(again).toMatchObject({ code: 1, events: [{ event: "error", code: "VENUE_REFUSED" }] });
});

test("modify replaces an open order, and refuses one that is partly filled, over or unchanged", async () => {
  const idOf = (ran: Ran): string => String(ran.events[0]?.["orderId"]);
  const first = idOf(await type("order place 1_2 buy 2 1800"));
  const modified = await type(`order modify ${first} --price 1801.5`);
  expect(modified).toMatchObject({
    code: 0,
    events: [
      { event: "order.modify", replaced: first, status: "NEW", price: "1801.5", origQty: "2" },
    ],
  });
  const second = idOf(modified);
  expect((await type(`order show ${first}`)).events).toMatchObject([{ status: "CANCELED" }]);
  expect(await type(`order modify ${second} --quantity 1.5`)).toMatchObject({
    code: 0,
    events: [{ price: "1801.5", origQty: "1.5" }],
  });
  expect(await type(`order modify ${first} --price 1801`)).toMatchObject({
    code: 1,
    events: [{ code: "NOT_MODIFIABLE" }],
  });
  expect(await type(`order modify ${second}`)).toMatchObject({ code: 2 });
  expect(await type(`order modify ${second} --price 1801.55`)).toMatchObject({ code: 2 });

  const filled = idOf(await type("order place 1_2 buy 1 1810"));
  await type("order place 1_2 sell 0.5 market --signer-env OTHER_KEY");
  const partly = await type(`order modify ${filled} --quantity 2`);
  expect(partly).toMatchObject({ code: 1, events: [{ code: "NOT_MODIFIABLE" }] });
  expect(partly.err).toContain("0.5 of 1");

  const rejected = await type(
    `order modify ${idOf(await type("order place 1_2 buy 1 1700"))} --quantity 5000`,
  );
  expect(rejected).toMatchObject({
    code: 1,
    events: [{ status: "REJECTED" }, { event: "error", code: "ORDER_REJECTED" }],
  });
  expect(rejected.err).toContain("the original was canceled nevertheless");
  await type("order cancel-all --yes");
});

test("cancel-all cancels every order of the account and says how many", async () => {
  for (const price of ["1700", "1710", "1720"]) await type(`order place 1_2 buy 0.1 ${price}`);
  const asked = await type("order cancel-all");
  expect(asked).toMatchObject({ code: 2, events: [{ event: "error", code: "USAGE" }] });
  expect(asked.err).toContain("Cancel 3 open orders");
  expect(asked.err).toContain("--yes");
  const done = await type("order cancel-all --yes");
  expect(done).toMatchObject({ code: 0, events: [{ canceled: 3, left: [], foreign: null }] });
  expect((await type("order open")).events).toMatchObject([{ orders: [] }]);
});

test("an order that the venue rejects is exit 1, one that breaks the price rule is not sent", async () => {
  const rejected = await type("order place 1_2 buy 1000 1834.5");
  expect(rejected).toMatchObject({
    code: 1,
    events: [
      { event: "order.place", status: "REJECTED" },
      { event: "error", code: "ORDER_REJECTED" },
    ],
  });
  expect(rejected.err).toContain("it needs 1834500 USDT, but only ");
  const small = await type("order place 1_2 sell 0.00001 1834.5");
  expect(small.err).toContain("the smallest size at that price is 0.0001");
  const wrongWay = await type("order place 1_2 buy 1 100 --take-profit 90 --stop-loss 80");
  expect(wrongWay.err).toContain("the take profit must be above the order's price");
  const before = (await type("order history")).events;
  const refused = await type("order place 1_2 buy 1 1834.56");
  expect(refused).toMatchObject({ code: 2, events: [{ event: "error", code: "USAGE" }] });
  expect((await type("order history")).events).toEqual(before);
});

test("balances, markets, tickers, tokens and candles are listed", async () => {
  const balances = await type("account balances");
  expect(balances.events).toMatchObject([{ event: "account.balances", address: makerAddress }]);
  expect((await type("market list")).events).toMatchObject([{ markets: [{ ticker: "ETH/USDT" }] }]);
  expect((await type("market tokens")).events).toMatchObject([
    { tokens: [{ l2Symbol: "ETH" }, { l2Symbol: "USDT" }] },
  ]);
  expect((await type("market ticker eth/usdt")).events).toMatchObject([
    { tickers: [{ marketId: "1_2" }] },
  ]);
  expect((await type("market candles 1_2 --limit 5")).events).toMatchObject([
    { event: "market.candles", resolution: "1" },
  ]);
});

describe("invalid input", () => {
  test.each([
    ["market depth ETH/UDST", 2, "did you mean ETH/USDT"],
    ["market depth 7_2", 1, "VENUE_REFUSED"],
    ["order show 0x12", 2, "must be 0x and 64 hex digits"],
    ["order place 1_2 hold 1 10", 2, "must be buy or sell"],
    ["order place 1_2 buy 1e3 10", 2, "a plain decimal"],
    ["order place 1_2 buy 1 10 --quote", 2, "market orders only"],
    ["order open --signer-env NO_KEY", 2, "The account is missing"],
    ["order cancel-all --yes --signer-env NO_KEY", 2, "NO_KEY is not set"],
    ["market depth 1_2 --limit 0", 2, "from 1 to 5000"],
    ["market list --set a=b", 2, "needs --config"],
  ])("%s", async (line, code, said) => {
    const ran = await type(line);
    expect(ran.code).toBe(code);
    expect(ran.events).toHaveLength(1);
    expect(JSON.stringify(ran.events)).toContain(said);
    expect(ran.err).not.toContain(maker.TOUCHLINE_KEY.slice(2));
  });

  test("an unreachable venue is reported", async () => {
    const ran = await runLine(["market", "list", "--venue", "http://127.0.0.1:1", "--json"]);
    expect(ran).toMatchObject({ code: 1, events: [{ code: "VENUE_UNREACHABLE" }] });
  });

  // Each waits some seconds for the venue.
  test.concurrent.for([
    ["run", "config/pure-market-making.yaml"],
    ["paper", "config/pure-market-making.yaml"],
    ["record", "config/pure-market-making.yaml", "--out", "never-recorded"],
  ])("%s of an unreachable venue names the key that the address comes from", async (words) => {
    const at = ["--set", "venue.rest=http://127.0.0.1:1", "--set", "venue.ws=ws://127.0.0.1:1/ws"];
    const ran = await runLine([...words, ...at, "--json"], maker);
    expect(ran).toMatchObject({ code: 1, events: [{ code: "VENUE_UNREACHABLE" }] });
    expect(ran.events[0]?.["hint"]).toContain("correct venue.rest in the configuration");
  });
});

test("venue and account come from a bot's configuration, whatever its strategies", async () => {
  const file = path.join(folder, "bot.yaml");
  writeFileSync(
    file,
    `venue: { rest: "${venue.rest}", ws: "${venue.ws}", chainId: 1001 }
account: { owner: "${makerAddress}", signer: { type: env, name: TOUCHLINE_KEY } }
strategies: [{ broken: yes }]
`,
  );
  const placed = await runLine(
    ["order", "place", "1_2", "buy", "0.1", "1700", "--config", file, "--json"],
    maker,
  );
  expect(placed).toMatchObject({ code: 0, events: [{ status: "NEW" }] });
  const canceled = await runLine(["order", "cancel-all", "--yes", "--config", file], maker);
  expect(canceled).toMatchObject({ code: 0, out: "1 order canceled, none left open.\n" });
});

test("stop orders and orders with take profit and stop loss are placed and listed", async () => {
  await type("order place 1_2 buy 1 100");
  await type("order place 1_2 sell 0.2 market --signer-env OTHER_KEY");
  const stop = await type("order stop 1_2 sell 0.5 90 89");
  expect(stop).toMatchObject({
    code: 0,
    events: [{ event: "order.stop", orderType: "STOP_LOSS_LIMIT", triggerPrice: "90" }],
  });
  const placed = await type(
    "order place 1_2 buy 0.5 95 --take-profit 110 --stop-loss 85 --stop-limit 84",
  );
  expect(placed).toMatchObject({
    code: 0,
    events: [
      {
        event: "order.place",
        status: "NEW",
        legs: [{ status: "PENDING_NEW" }, { status: "PENDING_NEW" }],
      },
    ],
  });
  expect(await type("order place 1_2 buy 0.5 95 --take-profit 110")).toMatchObject({ code: 2 });
  expect(await type("order place 1_2 buy 1 market --take-profit 1 --stop-loss 2")).toMatchObject({
    code: 2,
  });
  expect((await type("order cancel-all --yes")).code).toBe(0);
});

test("a price far beyond the best opposite one, or beyond the order's own stop price, needs --yes", async () => {
  await type("order place 1_2 buy 0.5 60");
  const other = "--signer-env OTHER_KEY";
  const refused = await type(`order place 1_2 sell 0.1 0.0000001 ${other}`);
  expect(refused.code).toBe(2);
  expect(refused.err + refused.out).toContain("100% beyond the best bid 60");
  expect(await type(`order stop 1_2 sell 0.1 50 5 ${other}`)).toMatchObject({ code: 2 });
  const placed = await type(`order place 1_2 sell 0.1 70 ${other}`);
  const resting = String(placed.events[0]?.["orderId"]);
  expect(await type(`order modify ${resting} --price 7 ${other}`)).toMatchObject({ code: 2 });
  expect((await type("order fills --limit 1")).events).not.toMatchObject([
    { fills: [{ price: "60" }] },
  ]);
  for (const line of ["sell 0.1 59", "sell 0.1 5 --yes", "buy 0.1 90 --yes"]) {
    expect(await type(`order place 1_2 ${line} ${other}`)).toMatchObject({ code: 0 });
  }
  await type(`order cancel-all --yes ${other}`);
  expect((await type("order cancel-all --yes")).code).toBe(0);
});

test("open, fills, history and show name the strategy that placed an order, from the bot's journal", async () => {
  const { Journal } = await import("../../src/journal/journal.ts");
  const { createStore } = await import("../../src/platform/store.ts");
  await type("order place 1_2 buy 0.5 60");
  await type("order place 1_2 buy 0.5 61");
  const before = await type("order open");
  const [newest, oldest] = idsOf(before);
  const journal = new Journal({
    store: createStore(),
    folder: path.join(folder, "journal"),
    header: headerOf("a"),
    restored: {
      nonceHighWater: 1,
      carried: [],
      orders: [
        {
          orderId: oldest as OrderId,
          nonce: 1,
          strategy: "my-maker",
          marketId: marketId("1", "2"),
          side: "BUY",
          price: 60,
          quantity: "0.5",
          executed: "0",
          tradeIds: [],
        },
      ],
    },
  });
  await journal.close();
  const withJournal = `--journal ${path.join(folder, "journal")}`;
  const open = await type(`order open ${withJournal}`);
  expect(open.events).toMatchObject([
    {
      orders: [
        { orderId: newest, strategy: null },
        { orderId: oldest, strategy: "my-maker" },
      ],
    },
  ]);
  const none = await type(`order open --journal ${path.join(folder, "nothing")}`);
  expect(none.err).toContain("there is no journal");

  const asked = await type(`order cancel-all ${withJournal}`);
  expect(asked.err).toContain("2 open orders");
  expect(asked.err).toContain("1 of them not placed by this bot?");
  await type("order place 1_2 sell 0.7 60 --signer-env OTHER_KEY");
  expect((await type(`order fills --limit 2 ${withJournal}`)).events).toMatchObject([
    {
      fills: [
        { orderId: oldest, quantity: "0.2", strategy: "my-maker" },
        { orderId: newest, quantity: "0.5", strategy: null },
      ],
    },
  ]);
  expect(await type(`order cancel-all --yes ${withJournal}`)).toMatchObject({
    events: [{ canceled: 1, foreign: 0 }],
  });
  const history = await type(`order history --limit 2 ${withJournal}`);
  expect(history.events).toMatchObject([
    {
      orders: [
        { orderId: newest, status: "FILLED", strategy: null },
        { orderId: oldest, status: "CANCELED", strategy: "my-maker" },
      ],
    },
  ]);
  expect((await type(`order show ${oldest} ${withJournal}`)).events).toMatchObject([
    { orderId: oldest, strategy: "my-maker" },
  ]);
  // For people; and without a journal nothing is said of strategies.
  const asText = (line: string) => runLine([...line.split(" "), "--venue", venue.rest], maker);
  expect((await asText(`order fills --limit 2 ${withJournal}`)).out).toMatch(
    /^strategy +time .*\n.*my-maker +20/,
  );
  expect((await asText(`order history ${withJournal}`)).out).toMatch(/^strategy[^]*my-maker/);
  expect((await asText(`order show ${oldest} ${withJournal}`)).out).toMatch(/strategy +my-maker/);
  expect((await asText("order fills")).out).not.toContain("strategy");
  const [plain] = (await type(`order show ${oldest}`)).events;
  expect(plain).not.toHaveProperty("strategy");
});

test("a rate-limited command says how long to wait", async () => {
  const { startPaperVenue } = await import("../../src/sdk/paper-venue.ts");
  const busy = await startPaperVenue({ config: { rateLimit: { perSecond: 1 } } });
  const call = () => runLine(["order", "open", "--address", makerAddress, "--venue", busy.rest]);
  const responses = [await call(), await call(), await call()];
  const refused = responses.find(({ code }) => code === 1);
  expect(refused?.err).toContain("(429)");
  expect(refused?.err).toMatch(/The venue asks to wait 1\.0s; then try again/);
  await busy.close();
});
