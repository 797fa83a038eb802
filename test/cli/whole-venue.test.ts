import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fromHex } from "../../src/base/hex.ts";
import { orderTypes } from "../../src/domain/order.ts";
import {
  connectVenue,
  limitOrder,
  openSigner,
  ownerOf,
  type Venue,
  type Wallet,
} from "../../src/sdk/index.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import { stopOrder } from "../../src/sdk/order-context.ts";
import { type ChannelKind, channels } from "../../src/spec/channels.ts";
import { orderUserEvent } from "../../src/spec/channels/user-event.ts";
import { type CommandName, commands } from "../../src/spec/commands.ts";
import { type SessionAction, sessionActions } from "../../src/spec/commands/session.ts";
import { resolutions } from "../../src/domain/candle.ts";
import { type EndpointName, endpoints } from "../../src/spec/endpoints.ts";
import { decodeTransaction } from "../../src/spec/transaction.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { type Relay, startRelay } from "../support/relay.ts";
import { type Ran, runLine } from "./run-line.ts";

/**
 * Everything that the venue offers, from the command line and from a program: a line of each table below for every endpoint, command
 * and channel of `spec/` (the compiler asks for a missing one), each typed and called for real through a relay that tells what
 * reached the venue.
 */

const env = {
  TOUCHLINE_KEY: `0x${"b1".repeat(32)}`,
  OTHER_KEY: `0x${"b2".repeat(32)}`,
  SESSION_KEY: `0x${"b3".repeat(32)}`,
};
const friend = "0x00000000000000000000000000000000000000a1";
const owner = await openSigner(env.TOUCHLINE_KEY);
const other = await openSigner(env.OTHER_KEY);
const session = await openSigner(env.SESSION_KEY);

let paper: RunningVenue;
let relay: Relay;
/** Straight to the venue, for what has to be there before. */
let behind: Venue;
let venue: Venue;
let wallet: Wallet;
beforeAll(async () => {
  const money = { "1": "100000", "2": "25000000" };
  paper = await startPaperVenue({
    config: { accounts: { [owner.address]: money, [other.address]: money } },
  });
  relay = await startRelay(paper);
  behind = await connectVenue({ rest: paper.rest, ws: paper.ws, chainId: 1001 });
  venue = await connectVenue({
    rest: relay.rest,
    ws: relay.ws,
    chainId: 1001,
    withdrawal: { byte: 0x12 },
  });
  wallet = venue.wallet({ signer: owner });
});
afterAll(async () => {
  await venue.close();
  await behind.close();
  await relay.close();
  await paper.close();
});

/** What a line needs of the venue, made anew for each. */
interface Given {
  readonly orderId: string;
  readonly expirySec: number;
}

interface Use {
  /** As typed, without `touchline` and `--venue`. */
  cli(given: Given): string;
  sdk(given: Given): Promise<unknown>;
  /** A session has to be there before. */
  readonly withSession?: true;
}

const marketId = "1_2";
const address = owner.address;
const sessionLine = "--session-env SESSION_KEY";
const low = limitOrder({ marketId, side: "BUY", price: "50", quantity: "0.5" });
const lowStop = stopOrder({ marketId, side: "SELL", stopPrice: "40", quantity: "0.1" });
const change = (given: Given) => ({
  owner: ownerOf(owner),
  signer: session,
  expirySec: given.expirySec,
});

const sessionUses: Readonly<Record<SessionAction, Use>> = {
  create: {
    cli: () => `session create ${sessionLine} --expires 1d --name table`,
    sdk: (given) => venue.createSession({ ...change(given), name: "table" }),
  },
  update: {
    cli: () => `session extend ${session.address} --expires 2d`,
    sdk: (given) => venue.updateSession(change(given)),
    withSession: true,
  },
  delete: {
    cli: () => `session delete ${session.address}`,
    sdk: (given) => venue.deleteSession(change(given)),
    withSession: true,
  },
};

const commandUses: Readonly<Record<Exclude<CommandName, "session">, Use>> = {
  order: { cli: () => "order place 1_2 buy 0.5 50", sdk: () => wallet.order(low) },
  cancel: {
    cli: ({ orderId }) => `order cancel ${orderId}`,
    sdk: ({ orderId }) => wallet.cancel({ orderId }),
  },
  "cancel-all": { cli: () => "order cancel-all --yes", sdk: () => wallet.cancelAll({}) },
  modify: {
    cli: ({ orderId }) => `order modify ${orderId} --price 51`,
    sdk: ({ orderId }) => wallet.modify({ orderId, newPrice: "51" }),
  },
  stop: { cli: () => "order stop 1_2 sell 0.1 40 market", sdk: () => wallet.stop(lowStop) },
  transfer: {
    cli: () => `account transfer native 0.1 ${friend}`,
    sdk: () => wallet.transfer({ to: friend, value: "0.1" }),
  },
  "token-transfer": {
    cli: () => `account transfer USDT 1 ${friend}`,
    sdk: () => wallet.tokenTransfer({ to: friend, token: "2", value: "1" }),
  },
  withdraw: {
    cli: () => `account withdraw USDT 1 ${friend} --command-byte 0x12`,
    sdk: () => wallet.withdraw({ to: friend, token: "2", value: "1" }),
  },
};

const endpointUses: Readonly<Record<EndpointName, Use>> = {
  time: { cli: () => "market time", sdk: () => venue.time() },
  market: { cli: () => "market list", sdk: () => venue.market() },
  ticker: { cli: () => "market ticker 1_2", sdk: () => venue.ticker({ marketId }) },
  tokens: { cli: () => "market tokens", sdk: () => venue.tokens() },
  trades: { cli: () => "market trades 1_2", sdk: () => venue.trades({ marketId }) },
  depth: { cli: () => "market depth 1_2", sdk: () => venue.depth({ marketId }) },
  candles: {
    cli: () => "market candles 1_2 --resolution 60",
    sdk: () => venue.lists.candles({ marketId, resolution: "60" }),
  },
  balance: { cli: () => "account balances", sdk: () => venue.balance({ address }) },
  withdraw: commandUses.withdraw,
  "withdraw-retry": {
    cli: ({ orderId }) => `account retry-withdraw ${orderId}`,
    sdk: ({ orderId }) => venue.withdrawRetry({ txHash: orderId }),
  },
  "session-list": { cli: () => "session list", sdk: () => venue.sessionList({ address }) },
  "session-create": sessionUses.create,
  "session-update": sessionUses.update,
  "session-delete": sessionUses.delete,
  transfer: commandUses["token-transfer"],
  transfers: {
    cli: () => "account transfers --since 2h --until 0s --limit 5",
    sdk: () => venue.lists.transfers({ address }),
  },
  "order-open": {
    cli: () => "order open --market 1_2 --since 400d --limit 5",
    sdk: () => venue.lists.openOrders({ address }),
  },
  "order-history": {
    cli: () => "order history --since 2h --until 1h",
    sdk: () => venue.lists.orderHistory({ address }),
  },
  "order-show": {
    cli: ({ orderId }) => `order show ${orderId}`,
    sdk: ({ orderId }) => venue.orderShow({ orderId }),
  },
  "order-trade": {
    cli: () => "order fills --limit 5",
    sdk: () => venue.lists.userTrades({ address }),
  },
  order: commandUses.order,
  "order-cancel": commandUses.cancel,
  "order-cancel-all": commandUses["cancel-all"],
  "order-modify": commandUses.modify,
  "order-trigger": commandUses.stop,
};

const channelUses: Readonly<Record<ChannelKind, Use>> = {
  trade: {
    cli: () => `market watch 1_2 --channel trade`,
    sdk: () => firstOpen((signal) => venue.subscribe.trade(marketId, ignore, { signal })),
  },
  depth: {
    cli: () => `market watch 1_2 --channel depth`,
    async sdk() {
      using book = venue.book(marketId);
      await book.opened;
    },
  },
  depthSnapshot: {
    cli: () => `market watch 1_2 --channel depthSnapshot`,
    sdk: () => firstOpen((signal) => venue.subscribe.depthSnapshot(marketId, ignore, { signal })),
  },
  ticker: {
    cli: () => `market watch --channel ticker`,
    sdk: () => firstOpen((signal) => venue.subscribe.ticker(ignore, { signal })),
  },
  userEvent: {
    cli: () => `account watch`,
    sdk: () => firstOpen((signal) => venue.subscribe.userEvent(address, ignore, { signal })),
  },
};

const ignore = { message: () => undefined };

async function firstOpen(
  subscribe: (signal: AbortSignal) => { readonly opened: Promise<void> },
): Promise<void> {
  const controller = new AbortController();
  await subscribe(controller.signal).opened;
  controller.abort();
}

/** What only watches ends once `until` is content; by itself as soon as its channels are confirmed. */
function type(line: string, until = isOpened): Promise<Ran> {
  return runLine([...line.split(" "), "--venue", relay.rest, "--json"], env, until);
}

function isOpened(out: string): boolean {
  return out.includes('"type":"opened"');
}

/** All these event types stand in what was written. */
function hasSeen(types: readonly string[]): (out: string) => boolean {
  return (out) => types.every((each) => out.includes(`"eventType":"${each}"`));
}

async function given(use: Use): Promise<Given> {
  const { txHash } = await behind.wallet({ signer: owner }).order(low);
  const nowSec = Math.floor((await behind.nowMs()) / 1000);
  const made = { orderId: txHash, expirySec: nowSec + 3600 };
  if (use.withSession === true) {
    await behind.createSession({ ...change(made), expirySec: nowSec + 1800 });
  }
  relay.requests.length = 0;
  relay.channels.length = 0;
  return made;
}

/** `/api/v1/order/{orderId}` as a pattern. */
function pathOf({ path }: { readonly path: string }): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
}

/** Commands and session actions in what was sent. */
function sentCommands(): readonly string[] {
  return relay.requests.flatMap(({ method, body }) => {
    if (method !== "POST") return [];
    const { tx } = JSON.parse(body);
    if (typeof tx !== "string") return [];
    const decoded = decodeTransaction(fromHex(tx) ?? new Uint8Array(), 1001);
    if (!decoded.ok) throw new Error(decoded.error);
    const { data } = decoded.value;
    const context = JSON.parse(new TextDecoder().decode(data.subarray(1)));
    const name = Object.values(commands).find(({ byte }) => byte === data[0])?.name ?? "";
    const action = sessionActions[context.type as keyof typeof sessionActions]?.action;
    return [name === "session" ? `session ${action}` : name];
  });
}

async function bothWays(use: Use, check: () => void): Promise<void> {
  const before = await given(use);
  const ran = await type(use.cli(before));
  expect(ran.events.length, ran.err).toBeGreaterThan(0);
  check();
  const again = await given(use);
  // A withdrawal that is none is refused, which is the endpoint's answer all the same.
  await use.sdk(again).catch((error: unknown) => expect(error).toMatchObject({ venueCode: 404 }));
  check();
}

test("the tables cover every endpoint, command and channel of spec/", () => {
  expect(Object.keys(endpointUses).toSorted()).toEqual(Object.keys(endpoints).toSorted());
  expect([...Object.keys(commandUses), "session"].toSorted()).toEqual(
    Object.keys(commands).toSorted(),
  );
  expect(Object.keys(channelUses).toSorted()).toEqual(Object.keys(channels).toSorted());
});

test.each(Object.keys(endpointUses) as EndpointName[])("endpoint %s", async (name) => {
  const { method, path } = endpoints[name];
  await bothWays(endpointUses[name], () => {
    const asked = relay.requests.filter((request) => pathOf({ path }).test(request.path));
    expect(asked.map((request) => request.method)).toContain(method);
  });
});

test.each(Object.keys(commandUses) as (keyof typeof commandUses)[])("command %s", async (name) => {
  await bothWays(commandUses[name], () => expect(sentCommands()).toContain(name));
});

test.each(Object.keys(sessionUses) as SessionAction[])("session %s", async (action) => {
  await bothWays(sessionUses[action], () =>
    expect(new Set(sentCommands())).toEqual(new Set([`session ${action}`])),
  );
});

test.each(Object.keys(channelUses) as ChannelKind[])("channel %s", async (kind) => {
  await bothWays(channelUses[kind], () => {
    expect(relay.channels.map((channel) => channel.split("@", 1)[0])).toContain(kind);
  });
});

test.each(resolutions)("candles of resolution %s", async (resolution) => {
  const ran = await type(`market candles 1_2 --resolution ${resolution} --limit 3`);
  expect(ran).toMatchObject({ code: 0, events: [{ event: "market.candles", resolution }] });
  await venue.candles({ marketId, resolution, from: Math.floor(Date.now() / 1000) });
});

test("candles of a range longer than one response are fetched page by page, each once", async () => {
  relay.requests.length = 0;
  await behind.wallet({ signer: other }).order({ ...low, side: 1 });
  const ran = await type("market candles 1_2 --since 2d");
  const asked = relay.requests.filter(({ path }) => path === endpoints.candles.path);
  expect(asked).toHaveLength(3);
  const candles = ran.events[0]?.["candles"] as { timestamp: number }[];
  expect(candles.length).toBeGreaterThan(0);
  expect(new Set(candles.map(({ timestamp }) => timestamp)).size).toBe(candles.length);
});

describe("watching", () => {
  test("account watch shows all eight events of an account, order watch the five of an order", async () => {
    const { options } = orderUserEvent.shape.eventType;
    // The account was funded by the configuration: nothing is deposited.
    const all = [...options, "WITHDRAW", "TRANSFER"];
    const before = relay.replies();
    const watched = type("account watch", hasSeen(all));
    const orders = type("order watch --market 1_2", hasSeen(options));
    await expect.poll(() => relay.replies() - before).toBe(2);
    const fresh = behind.wallet({ signer: owner });
    const taker = behind.wallet({ signer: other });
    const money = { token: "2", value: "1" };
    await taker.tokenTransfer({ to: address, ...money });
    await fresh.cancelAll({});
    await fresh.order({ ...low, price: "60" });
    await taker.order({ ...low, side: 1, price: "60" });
    await fresh.stop({ ...lowStop, stopPrice: "59", price: "58", orderType: 0 });
    await fresh.order({ ...low, price: "59" });
    await taker.order({ ...low, side: 1, price: "59" });
    await fresh.order({ ...low, quantity: "99999999" });
    await fresh.cancelAll({});
    await type(`account withdraw USDT 1 ${friend} --command-byte 0x12`);
    const seen = (ran: Ran) =>
      new Set(
        ran.events.filter((line) => line["type"] === "event").map((line) => line["eventType"]),
      );
    expect(seen(await orders)).toEqual(new Set(options));
    expect(seen(await watched)).toEqual(new Set(all));
  });

  test("the deposit of the faucet is shown to a new account", async () => {
    const funded = await startPaperVenue({ config: { faucet: { "1": "5" } } });
    const line = `account watch --address ${friend} --json --venue ${funded.rest}`;
    const ran = await runLine(line.split(" "), {}, hasSeen(["DEPOSIT"]));
    expect(ran.events).toMatchObject([
      { type: "opened" },
      { type: "event", eventType: "DEPOSIT", amount: "5" },
    ]);
    await funded.close();
  });

  test("an order is watched until it is over: at once, later, or not before the time limit", async () => {
    const mine = behind.wallet({ signer: owner });
    const { txHash } = await mine.order(low);
    const late = await type(`order watch ${txHash}`);
    expect(late).toMatchObject({ code: 1 });
    expect(late.events.at(-1)).toMatchObject({ event: "error", code: "NOT_OVER" });
    const before = relay.replies();
    // Nobody's key: an order says whose it is.
    const waiting = runLine(["order", "watch", txHash, "--venue", relay.rest, "--json"], {});
    await expect.poll(() => relay.replies() - before).toBe(1);
    await mine.cancel({ orderId: txHash });
    const ended = await waiting;
    expect(ended.code).toBe(0);
    expect(ended.events.at(-1)).toMatchObject({ type: "order", status: "CANCELED" });
    const over = await type(`order watch ${txHash}`);
    expect(over).toMatchObject({ code: 0, events: [{ type: "order", status: "CANCELED" }] });
  });

  test("a lost connection is reported, and watching continues", async () => {
    const before = relay.replies();
    const watched = type(
      "market watch 1_2 --channel trade",
      (out) => out.split('"type":"opened"').length > 2,
    );
    await expect.poll(() => relay.replies() - before).toBe(1);
    relay.cut();
    const ran = await watched;
    expect(ran.code).toBe(0);
    const states = ran.events.map((line) => line["type"]);
    expect(states.slice(0, 3)).toEqual(["opened", "lost", "opened"]);
    expect(ran.err).toContain("the stream is lost");
  });

  test.each([
    ["market watch --channel depth", 2, "The market is missing"],
    ["market watch 1_2 --channel news", 2, "must be one of trade, touch"],
    ["market watch 9_8", 1, "there is no market 9_8"],
    ["order watch 0x12", 2, "0x and 64 hex digits"],
    [`order watch 0x${"00".repeat(32)}`, 1, "There is no order"],
    ["market watch 1_2 --ws ws://127.0.0.1:1/ws", 1, "STREAM_UNREACHABLE"],
  ])("%s", async (line, code, said) => {
    const ran = await type(line);
    expect(ran.code).toBe(code);
    expect(JSON.stringify(ran.events)).toContain(said);
  });
});

describe("withdrawals without their structure", () => {
  test("are refused by the command line and the SDK, with a hint", async () => {
    relay.requests.length = 0;
    const ran = await type(`account withdraw USDT 1 ${friend}`);
    expect(ran).toMatchObject({ code: 2, events: [{ code: "WITHDRAWAL_UNKNOWN" }] });
    expect(ran.err).toContain("venue: in a configuration");
    const unknowing = await connectVenue({ rest: relay.rest, chainId: 1001 });
    const money = { to: friend, token: "2", value: "1" };
    await expect(unknowing.wallet({ signer: owner }).withdraw(money)).rejects.toMatchObject({
      code: "WITHDRAWAL_UNKNOWN",
      hint: expect.stringContaining("connectVenue"),
    });
    expect(relay.requests.filter(({ method }) => method === "POST")).toEqual([]);
    await unknowing.close();
  });
});

test("the text output shows stop price, trigger and role in a pair", async () => {
  const typed = (line: string): Promise<Ran> =>
    runLine([...line.split(" "), "--venue", relay.rest], env);
  await behind.wallet({ signer: owner }).cancelAll({});
  const placed = await typed("order place 1_2 buy 0.5 50 --take-profit 70 --stop-loss 40");
  expect(placed.out).toMatch(/stop .*part/);
  expect(placed.out).toMatch(/TAKE_PROFIT_LIMIT .*OCO take profit/);
  expect(placed.out).toMatch(/STOP_LOSS_MARKET +market +40 .*OCO stop loss/);
  const [, profitId = "", lossId = ""] = placed.out.match(/0x[0-9a-f]{64}/g) ?? [];
  const leg = await typed(`order show ${lossId}`);
  expect(leg.out).toMatch(/stop price +40, waiting for a trade/);
  expect(leg.out).toContain(`take profit  ${profitId}`);
  expect(leg.out).toMatch(/entry +0x/);
  expect(orderTypes).toContain(/type +(\w+)/.exec(leg.out)?.[1]);
  await typed("order stop 1_2 sell 0.1 40 39");
  expect((await typed("order open")).out).toMatch(/STOP_LOSS_LIMIT +39 +40/);
  await typed("order cancel-all --yes");
  // A plain list has no columns that say nothing.
  await typed("order place 1_2 buy 0.5 50");
  expect((await typed("order open")).out).not.toMatch(/stop|part|average/);
});
