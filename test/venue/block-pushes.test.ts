import { expect, it } from "vitest";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { channelName } from "../../src/spec/stream.ts";
import { BlockPushes, marketChannel } from "../../src/venue/streams/block-pushes.ts";
import { connectionContext, Connection } from "../../src/venue/streams/connection.ts";
import { Subscriptions } from "../../src/venue/streams/subscriptions.ts";
import {
  ETH_USDT,
  limit,
  market,
  NOW,
  testAddress,
  testExchange,
  testHash,
} from "../support/exchange.ts";
import { testCrypto } from "../support/venue.ts";
import { streamLimits } from "../../src/spec/limits.ts";

const ORDERS = 2_500;
const alice = testAddress(1);

interface MarketPush {
  readonly channel: string;
  readonly result: { readonly tradeId?: string };
}

/** Pushes to subscribers of one account's events, with what each of them is sent. */
async function userPushes() {
  const { keccak256 } = await testCrypto();
  const clock = new VirtualClock();
  const subscriptions = new Subscriptions(() => pushes.forgetUser(alice));
  const pushes = new BlockPushes(subscriptions, clock);
  const name = channelName("userEvent", alice, keccak256);
  if (name === undefined) throw new Error("a channel");
  const shared = connectionContext(clock, streamLimits);
  const connect = (send: (text: string) => void) => {
    const socket = {
      send,
      ping: () => undefined,
      close: () => undefined,
      terminate: () => undefined,
      freeze: () => undefined,
      bufferedBytes: 0,
    };
    return new Connection(socket, shared, () => undefined);
  };
  const subscriber = () => {
    const sent: string[] = [];
    const connection = connect((text) => sent.push(text));
    return {
      sent,
      /** Ids of the orders whose events were sent. */
      orders: () => sent.map((text) => /"orderId":"(0x\w+)"/.exec(text)?.[1]),
      subscribe() {
        subscriptions.add(name, connection, pushes.newestBlock);
        pushes.watchUser(alice, name);
      },
      unsubscribe: () => subscriptions.remove(name.key, connection),
    };
  };
  /** What a subscriber to trades and depth is sent. */
  const watchMarket = () => {
    const sent: MarketPush[] = [];
    const connection = connect((text) => {
      const { params }: { params: MarketPush } = JSON.parse(text);
      sent.push(params);
    });
    for (const kind of ["trade", "depth"] as const) {
      subscriptions.add(marketChannel(kind, ETH_USDT), connection, pushes.newestBlock);
    }
    return sent;
  };
  return { clock, pushes, subscriber, watchMarket };
}

const order = limit("BUY", "100", "0.01");

/** An exchange whose last block cancels many orders of one account, and their ids. */
function manyCanceled() {
  const { exchange, last } = testExchange();
  for (let at = 1; at <= ORDERS; at += 1) {
    exchange.execute(alice, order, NOW, { txHash: testHash(at) });
  }
  exchange.execute(alice, { type: "cancel-all" }, NOW, { txHash: testHash(ORDERS + 1) });
  const canceled = last().orderEvents.map((event) => event.order.orderId);
  expect(canceled).toHaveLength(ORDERS);
  return { exchange, last, canceled };
}

it("a block with thousands of events is pushed over several turns, and later blocks after it", async () => {
  const { clock, pushes, subscriber } = await userPushes();
  const { sent, orders, subscribe } = subscriber();
  subscribe();
  const { exchange, last, canceled } = manyCanceled();
  pushes.push(last());
  expect(sent).toHaveLength(1_000);
  exchange.execute(alice, order, NOW, { txHash: testHash(ORDERS + 2) });
  pushes.push(last());
  expect(sent).toHaveLength(1_000);
  await clock.runFor(1);
  expect(orders()).toEqual([...canceled, testHash(ORDERS + 2)]);
});

it("a client that subscribes while a block is pushed gets every event of later blocks, and none of this one", async () => {
  const { clock, pushes, subscriber } = await userPushes();
  const early = subscriber();
  const late = subscriber();
  early.subscribe();
  const { exchange, last, canceled } = manyCanceled();
  pushes.push(last());
  late.subscribe();
  exchange.execute(alice, order, NOW, { txHash: testHash(ORDERS + 2) });
  pushes.push(last());
  await clock.runFor(1);
  expect(early.orders()).toEqual([...canceled, testHash(ORDERS + 2)]);
  expect(late.orders()).toEqual([testHash(ORDERS + 2)]);
});

it("a client that unsubscribes while a block is pushed gets nothing more of it, not even after it subscribes again", async () => {
  const { clock, pushes, subscriber } = await userPushes();
  const { sent, orders, subscribe, unsubscribe } = subscriber();
  subscribe();
  const { exchange, last } = manyCanceled();
  pushes.push(last());
  unsubscribe();
  subscribe();
  expect(sent).toHaveLength(1_000);
  exchange.execute(alice, order, NOW, { txHash: testHash(ORDERS + 2) });
  pushes.push(last());
  await clock.runFor(1);
  expect(orders().slice(1_000)).toEqual([testHash(ORDERS + 2)]);
});

it("a client that subscribes twice while a block is pushed gets each event once", async () => {
  const { clock, pushes, subscriber } = await userPushes();
  const { orders, subscribe } = subscriber();
  subscribe();
  const { last, canceled } = manyCanceled();
  pushes.push(last());
  subscribe();
  await clock.runFor(1);
  expect(orders()).toEqual(canceled);
});

it("a block with thousands of trades is pushed over several turns, its depth in the first", async () => {
  const { clock, pushes, watchMarket } = await userPushes();
  const sent = watchMarket();
  const { exchange, last } = testExchange();
  for (let at = 1; at <= ORDERS; at += 1) {
    exchange.execute(alice, order, NOW, { txHash: testHash(at) });
  }
  exchange.execute(testAddress(2), market("SELL", "25"), NOW, { txHash: testHash(ORDERS + 1) });
  expect(last().trades).toHaveLength(ORDERS);
  pushes.push(last());
  expect(sent.map(({ channel }) => channel)).toEqual([
    ...Array.from({ length: 1_000 }, () => "trade@1_2"),
    "depth@1_2",
  ]);
  await clock.runFor(1);
  const trades = sent.filter(({ channel }) => channel === "trade@1_2");
  expect(trades.map(({ result }) => result.tradeId)).toEqual(
    last().trades.map(({ tradeId }) => tradeId),
  );
});
