import { beforeAll, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { addFixed, fixed, fixedText, ZERO, type Fixed } from "../../src/domain/fixed.ts";
import { addressOf, marketId, tokenId, type OrderId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { FEE_ACCOUNT } from "../../src/exchange/ledger.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { decodeResponse } from "../../src/spec/envelope.ts";
import type { Endpoint, ResultOf } from "../../src/spec/endpoint.ts";
import type { WireOrder, WireUserTrade } from "../../src/spec/resources.ts";
import { commandRoutes, type SignableCommand } from "../../src/spec/sign-command.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { startVenue, type RunningVenue } from "../../src/venue/start-venue.ts";
import { isSoak } from "../support/soak.ts";
import { MemoryServer, type MemorySocket } from "../support/memory-server.ts";
import { silentLog, START_MS, TestTrader } from "../support/venue.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { bookOf, StreamedState } from "./streamed-state.ts";

const ACCOUNTS = 20;
const ORDERS = isSoak ? 10_000 : 1_000;
const START = { "1": "400", "2": "400000" };
const MARKET = marketId("1", "2");

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

/**
 * Signed orders of all kinds from 20 accounts over REST. The lists of REST, the events of the streams and the ledger have to agree.
 */
test(`REST = streams = ledger after ${ORDERS} orders`, async () => {
  const world = await openWorld();
  const random = new Prng(11);
  let orders = 0;
  while (orders < ORDERS) {
    if (await act(world, random)) orders += 1;
    if (orders % 2500 === 1249) await compare(world);
  }
  await compare(world);
  const { streamed } = world;
  // Every kind of order has ended in every way.
  const kinds = new Set([...streamed.orders.values()].map(({ event }) => event.orderType));
  expect(kinds.size).toBe(6);
  const ends = new Set([...streamed.orders.values()].map(({ event }) => event.status));
  expect(ends).toEqual(new Set(["NEW", "PARTIALLY_FILLED", "FILLED", "CANCELED", "REJECTED"]));
  expect(
    [...streamed.orders.values()].filter(({ isTriggered }) => isTriggered).length,
  ).toBeGreaterThan(ORDERS / 100);
  expect(streamed.trades.length).toBeGreaterThan(ORDERS / 5);
  await world.venue.close();
});

interface World {
  readonly venue: RunningVenue;
  readonly server: MemoryServer;
  readonly clock: VirtualClock;
  readonly socket: MemorySocket;
  readonly traders: readonly TestTrader[];
  readonly streamed: StreamedState;
  /** The other leg of each leg. */
  readonly pairs: Map<OrderId, OrderId>;
  /** Orders that wait for their trigger, provided that they were admitted. */
  readonly stops: Set<string>;
  /** Orders with legs. */
  readonly brackets: Set<string>;
  readonly placed: { readonly id: OrderId; readonly trader: TestTrader }[];
}

async function openWorld(): Promise<World> {
  const clock = new VirtualClock(START_MS);
  const server = new MemoryServer();
  const traders = Array.from(
    { length: ACCOUNTS },
    (_, at) => new TestTrader(crypto, at + 1, clock),
  );
  const accounts = traders.map(({ address }) => address);
  const venue = await startVenue({
    config: venueSchema.parse({
      accounts: Object.fromEntries(accounts.map((address) => [address, START])),
    }),
    listen: { host: "127.0.0.1", port: 0 },
    ports: { server, clock, timer: clock, crypto, log: silentLog },
  });
  const socket = server.connect();
  const channels = ["trade@1_2", "depth@1_2", ...accounts.map((address) => `userEvent@${address}`)];
  socket.send({ method: "subscribe", params: { channels }, id: 1 });
  return {
    venue,
    server,
    clock,
    socket,
    traders,
    streamed: new StreamedState(accounts, START),
    pairs: new Map(),
    stops: new Set(),
    brackets: new Set(),
    placed: [],
  };
}

/** Sends a random command; true when the command makes an order. */
async function act(world: World, random: Prng): Promise<boolean> {
  const { traders, placed } = world;
  world.clock.advance(random.int(1, 5));
  const trader = random.pick(traders);
  const nonce = trader.nextNonce();
  const kind = random.unit();
  const base = {
    marketId: MARKET,
    side: random.chance(0.5) ? ("BUY" as const) : ("SELL" as const),
    orderMode: 0 as const,
    // Sometimes off the grid, too small, or more than the account has.
    price: priceNear(random, random.chance(0.02) ? 2 : 1),
    quantity: quantityOf(random),
  };
  const target = placed[placed.length - 1 - Math.floor(random.exponential(25))];
  if (kind < 0.45) {
    const place = { type: "place", nonce, orderType: "LIMIT", ...base } as const;
    return send(world, trader, place, (id) => note(world, trader, id));
  }
  if (kind < 0.55) {
    const up = base.side === "BUY" ? 1 : -1;
    const step = random.int(1, 12) / 10;
    const away = (ticks: number) => Number((base.price + up * ticks).toFixed(1));
    const tpsl = {
      tpLimit: away(step),
      slTrigger: away(-step),
      slLimit: random.chance(0.5) ? away(-step - 0.3) : undefined,
    };
    const place = { type: "place", nonce, orderType: "LIMIT", ...base, tpsl } as const;
    return send(world, trader, place, (id) => {
      note(world, trader, id);
      bracket(world, id);
    });
  }
  if (kind < 0.65) {
    const inQuote = random.chance(0.4);
    const place = {
      type: "place",
      nonce,
      ...base,
      orderType: "MARKET",
      orderMode: inQuote ? 1 : 0,
      price: 0,
      quantity: inQuote ? (((base.quantity / 1000n) * 1_000_000n) as Fixed) : base.quantity,
    } as const;
    return send(world, trader, place, (id) => note(world, trader, id));
  }
  if (kind < 0.75) {
    const isLimit = random.chance(0.5);
    const stop = {
      type: "stop",
      nonce,
      marketId: MARKET,
      side: base.side,
      stopPrice: priceNear(random, 1),
      orderType: isLimit ? "LIMIT" : "MARKET",
      orderMode: !isLimit && random.chance(0.3) ? 1 : 0,
      price: isLimit ? base.price : 0,
      quantity: base.quantity,
    } as const;
    return send(world, trader, stop, (id) => {
      note(world, trader, id);
      world.stops.add(id);
    });
  }
  if (kind < 0.83 && target !== undefined) {
    const owner = random.chance(0.95) ? target.trader : trader;
    const modify = {
      type: "modify",
      nonce: owner.nextNonce(),
      orderId: target.id,
      newPrice: random.chance(0.7) ? base.price : undefined,
      newQty: base.quantity,
    } as const;
    return send(world, owner, modify, (id) => {
      note(world, owner, id);
      // A fired stop rests in the book, and so does its replacement.
      const hasFired = world.streamed.orders.get(target.id)?.isTriggered === true;
      if (world.stops.has(target.id) && !hasFired) world.stops.add(id);
      if (world.brackets.has(target.id)) bracket(world, id);
    });
  }
  if (kind < 0.94 && target !== undefined) {
    const cancel = {
      type: "cancel",
      nonce: target.trader.nextNonce(),
      marketId: MARKET,
      orderId: random.chance(0.9) ? target.id : (world.pairs.get(target.id) ?? target.id),
    } as const;
    await send(world, target.trader, cancel);
    return false;
  }
  const to = random.pick(traders).address;
  const value = fixed(random.pick(["0.5", "1.25", "0.000000000000000001"]));
  if (kind < 0.97) await send(world, trader, { type: "transfer", nonce, to, value });
  else if (kind < 0.99) {
    await send(world, trader, { type: "token-transfer", nonce, to, tokenId: tokenId("2"), value });
  } else if (kind < 0.995) {
    await send(world, trader, { type: "withdraw", nonce, to, tokenId: tokenId("2"), value });
  } else await send(world, trader, { type: "cancel-all", nonce });
  return false;
}

function note(world: World, trader: TestTrader, id: OrderId): void {
  world.placed.push({ id, trader });
}

function bracket(world: World, id: OrderId): void {
  const { takeProfit, stopLoss } = legIdsOf(id);
  world.brackets.add(id);
  world.pairs.set(takeProfit, stopLoss);
  world.pairs.set(stopLoss, takeProfit);
  world.stops.add(stopLoss);
}

function priceNear(random: Prng, decimals: number): number {
  return Number((1000 + random.int(-250, 250) / 100).toFixed(decimals));
}

function quantityOf(random: Prng): Fixed {
  const whole = random.chance(0.01) ? 900 : random.int(0, 2);
  const digits = Array.from({ length: random.pick([2, 4, 18]) }, () => random.int(0, 9)).join("");
  return fixed(`${whole}.${random.chance(0.02) ? "00001" : `1${digits.slice(1)}`}`);
}

/** True when the command was accepted; `taken` gets its hash before it is sent. */
async function send(
  world: World,
  trader: TestTrader,
  command: SignableCommand,
  taken: (hash: OrderId) => void = () => undefined,
): Promise<boolean> {
  const { tx, txHash } = trader.sign(command);
  const { path } = endpoints[commandRoutes[command.type].endpoint];
  const { status } = await world.server.request("POST", path, JSON.stringify({ tx }));
  expect([200, 400, 401]).toContain(status);
  for (const frame of world.socket.drain()) world.streamed.apply(frame);
  if (status === 200) taken(txHash);
  return status === 200;
}

async function ask<E extends Endpoint>(
  world: World,
  endpoint: E,
  query: Readonly<Record<string, string>>,
): Promise<ResultOf<E>> {
  const path = endpoint.path.replace("{orderId}", query["orderId"] ?? "");
  const target = `${path}?${new URLSearchParams(query).toString()}`;
  const { status, body } = await world.server.request("GET", target);
  const response = decodeResponse(endpoint, status, body);
  if (response.type !== "ok") throw new Error(`${target}: ${body}`);
  return response.result;
}

/** Reads a whole list page by page (D15): each page ends where the last one did, and known records are dropped. */
async function all<Item extends { readonly createdAt: number }>(
  ask: (query: Readonly<Record<string, string>>) => Promise<readonly Item[]>,
  idOf: (item: Item) => string,
  nowMs: number,
): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  let to = nowMs;
  for (;;) {
    const page = await ask({ from: String(START_MS), to: String(to), limit: "500" });
    for (const item of page) found.set(idOf(item), item);
    const last = page.at(-1);
    if (last === undefined || page.length < 500) return found;
    to = last.createdAt;
  }
}

/** The fields that an order shares with its events. */
type OrderLineFields = Pick<
  WireOrder,
  | "orderId"
  | "side"
  | "orderType"
  | "status"
  | "createdAt"
  | "price"
  | "origQty"
  | "origQuoteOrderQty"
  | "executedQty"
  | "executedQuoteQty"
>;

function orderLine(order: OrderLineFields): unknown {
  const { orderId, side, orderType, status, executedQty, executedQuoteQty, createdAt } = order;
  const { price, origQty, origQuoteOrderQty } = order;
  return [
    [orderId, side, orderType, status, createdAt],
    [price, origQty, origQuoteOrderQty, executedQty, executedQuoteQty],
  ];
}

async function compare(world: World): Promise<void> {
  const { streamed, venue, clock, pairs, stops } = world;
  const { ledger } = venue.exchange;
  const nowMs = clock.nowMs();
  for (const { address } of world.traders) {
    // Orders: the open and ended ones are those of the events, each as in its last event.
    const orders = new Map<string, WireOrder>();
    for (const name of ["order-open", "order-history"] as const) {
      const list = await all<WireOrder>(
        (query) => ask(world, endpoints[name], { address, ...query }),
        ({ orderId }) => orderId,
        nowMs,
      );
      for (const [id, order] of list) {
        const isOpen = order.status === "NEW" || order.status === "PARTIALLY_FILLED";
        expect([id, isOpen]).toEqual([id, name === "order-open"]);
        orders.set(id, order);
      }
    }
    const received = streamed
      .of(address)
      .map(({ event }) => orderLine({ ...event, price: event.origPrice }));
    expect(new Set([...orders.values()].map((order) => JSON.stringify(orderLine(order))))).toEqual(
      new Set(received.map((line) => JSON.stringify(line))),
    );
    for (const { event } of streamed.of(address).slice(-5)) {
      const shown = await ask(world, endpoints["order-show"], { orderId: event.orderId });
      expect(orderLine(shown)).toEqual(orderLine(orders.get(event.orderId) as WireOrder));
    }

    // Executions, to the last digit.
    const trades = await all<WireUserTrade>(
      (query) => ask(world, endpoints["order-trade"], { address, ...query }),
      ({ tradeId, orderId }) => `${tradeId} ${orderId}`,
      nowMs,
    );
    const fills = streamed.fills.filter(({ accountAddress }) => accountAddress === address);
    expect(trades.size).toBe(fills.length);
    for (const fill of fills) {
      const trade = trades.get(`${fill.tradeId} ${fill.orderId}`);
      expect([trade?.price, trade?.quantity, trade?.fee, trade?.isMaker, trade?.side]).toEqual([
        fill.lastPrice,
        fill.lastQty,
        fill.fee,
        fill.isMaker,
        fill.side,
      ]);
    }

    // Money: REST equals the ledger, and both equal the sum of the events.
    const { balances } = await ask(world, endpoints.balance, { address });
    const account = ledger.find(addressOf(address) ?? address);
    for (const { tokenId: token, locked, unlocked } of balances) {
      const held = account?.balances.get(tokenId(token));
      expect([token, locked, unlocked]).toEqual([
        token,
        fixedText(held?.locked ?? ZERO),
        fixedText(held?.unlocked ?? ZERO),
      ]);
      expect(fixed(locked) >= 0n && fixed(unlocked) >= 0n).toBe(true);
      expect([address, token, fixedText(addFixed(fixed(locked), fixed(unlocked)))]).toEqual([
        address,
        token,
        fixedText(streamed.money.get(`${address} ${token}`) ?? ZERO),
      ]);
    }
  }

  // The public side: each trade is two executions, and the newest thousand are listed.
  const sides = new Map<string, number>();
  for (const { tradeId } of streamed.fills) sides.set(tradeId, (sides.get(tradeId) ?? 0) + 1);
  expect([...sides.values()].every((count) => count === 2)).toBe(true);
  expect(sides.size).toBe(streamed.trades.length);
  const listed = await ask(world, endpoints.trades, { marketId: MARKET, limit: "1000" });
  expect(listed).toEqual(streamed.trades.slice(-1000).toReversed());
  const [ticker] = await ask(world, endpoints.ticker, { marketId: MARKET });
  expect(ticker?.volume24h).toBe(
    fixedText(streamed.trades.reduce((sum, { quantity }) => addFixed(sum, fixed(quantity)), ZERO)),
  );

  // The book from three sources: REST, the depth stream, and the open orders of the events.
  const depth = await ask(world, endpoints.depth, { marketId: MARKET, limit: "5000" });
  const levels = (side: typeof depth.bids) =>
    new Map(side.map(({ price, quantity }) => [price, quantity]));
  const rest = { bids: levels(depth.bids), asks: levels(depth.asks) };
  expect(rest).toEqual({ bids: streamed.bids, asks: streamed.asks });
  expect(depth.lastUpdatedId).toBe(streamed.lastDepthId);
  expect(rest).toEqual(bookOf(streamed, pairs, (id) => stops.has(id)));

  // Value is conserved: the fees are those of the executions.
  for (const [token, { held, deposited }] of ledger.audit()) {
    expect([token, held]).toEqual([token, deposited]);
    const paid = streamed.fills
      .filter(({ feeTokenId }) => feeTokenId === token)
      .reduce((sum, { fee }) => addFixed(sum, fixed(fee)), ZERO);
    const kept = ledger.find(FEE_ACCOUNT)?.balances.get(token)?.unlocked ?? ZERO;
    expect([token, fixedText(kept)]).toEqual([token, fixedText(paid)]);
  }
}
