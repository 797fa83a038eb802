import { expect, it } from "vitest";
import { VirtualClock } from "../../src/sim/virtual-clock.ts";
import { channelName } from "../../src/spec/stream.ts";
import { BlockPushes } from "../../src/venue/streams/block-pushes.ts";
import { connectionContext, Connection } from "../../src/venue/streams/connection.ts";
import { Subscriptions } from "../../src/venue/streams/subscriptions.ts";
import { limit, NOW, testAddress, testExchange, testHash } from "../support/exchange.ts";
import { testCrypto } from "../support/venue.ts";
import { streamLimits } from "../../src/spec/limits.ts";

const ORDERS = 2_500;

it("a block with thousands of events is pushed over several turns, and later blocks after it", async () => {
  const { keccak256 } = await testCrypto();
  const clock = new VirtualClock();
  const subscriptions = new Subscriptions(() => undefined);
  const pushes = new BlockPushes(subscriptions, clock);
  const sent: string[] = [];
  const socket = {
    send: (text: string) => sent.push(text),
    ping: () => undefined,
    close: () => undefined,
    terminate: () => undefined,
    freeze: () => undefined,
    bufferedBytes: 0,
  };
  const alice = testAddress(1);
  const name = channelName("userEvent", alice, keccak256);
  if (name === undefined) throw new Error("a channel");
  const shared = connectionContext(clock, streamLimits);
  subscriptions.add(name, new Connection(socket, shared, () => undefined));
  pushes.watchUser(alice, name);

  const { exchange, last } = testExchange();
  const order = limit("BUY", "100", "0.01");
  for (let at = 1; at <= ORDERS; at += 1) {
    exchange.execute(alice, order, NOW, { txHash: testHash(at) });
  }
  exchange.execute(alice, { type: "cancel-all" }, NOW, { txHash: testHash(ORDERS + 1) });
  const canceled = last().orderEvents.map((event) => event.order.orderId);
  expect(canceled).toHaveLength(ORDERS);
  pushes.push(last());
  expect(sent).toHaveLength(1_000);
  exchange.execute(alice, order, NOW, { txHash: testHash(ORDERS + 2) });
  pushes.push(last());
  expect(sent).toHaveLength(1_000);
  await clock.runFor(1);
  const told = sent.map((text) => /"orderId":"(0x\w+)"/.exec(text)?.[1]);
  expect(told).toEqual([...canceled, testHash(ORDERS + 2)]);
});
