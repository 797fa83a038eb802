import { beforeEach, describe, expect, test } from "vitest";
import { limitOrder, stopOrder } from "../../src/sdk/order-context.ts";
import { byEventType, type UserEvent, type UserEventType } from "../../src/sdk/user-events.ts";
import { orderUserEvent } from "../../src/spec/channels/user-event.ts";
import { type SdkWorld, sdkWorld } from "./world.ts";

let world: SdkWorld;
beforeEach(async () => {
  world = await sdkWorld();
});

const low = limitOrder({ marketId: "1_2", side: "BUY", price: "50", quantity: "0.5" });
const high = limitOrder({ marketId: "1_2", side: "SELL", price: "50", quantity: "0.5" });

/** A listener that records its calls in order. */
function recordingListener() {
  const calls: string[] = [];
  const listener = {
    message: () => void calls.push("message"),
    opened: () => void calls.push("opened"),
    closed: () => void calls.push("closed"),
  };
  return { calls, listener };
}

test("a reply that is no error confirms its channel, whatever its words, and the connection stays", async () => {
  const { network, connect, clock } = world;
  let connections = 0;
  await network.servers.listen({
    host: "other",
    port: 80,
    socketPath: "/ws",
    maxBodyBytes: 1000,
    maxFrameBytes: 1000,
    respond: () => ({ status: 404, body: "" }),
    connected(socket) {
      connections += 1;
      return {
        frame: (data) => {
          const { id }: { id: number } = JSON.parse(new TextDecoder().decode(data));
          socket.send(JSON.stringify({ result: "subscribed", id }));
        },
        pong: () => undefined,
        closed: () => undefined,
      };
    },
  });
  const venue = connect({ ws: "ws://other:80/ws" });
  const { calls, listener } = recordingListener();
  venue.subscribe.ticker(listener);
  await clock.runFor(10_000);
  expect(connections).toBe(1);
  expect(calls).toEqual(["opened"]);
  await venue.close();
});

test("every channel delivers its payloads over one connection", async () => {
  const { venue, alice, bob, settle, clock, paper } = world;
  const seen: Record<string, unknown[]> = {
    trade: [],
    depth: [],
    snapshot: [],
    user: [],
    ticker: [],
  };
  const into = (name: string) => ({
    message: (payload: unknown) => void seen[name]?.push(payload),
  });
  const subscriptions = [
    venue.subscribe.trade("1_2", into("trade")),
    venue.subscribe.depth("1_2", into("depth")),
    venue.subscribe.depthSnapshot("1_2", into("snapshot")),
    venue.subscribe.userEvent(alice.address, into("user")),
    venue.subscribe.ticker(into("ticker")),
  ];
  await settle(Promise.all(subscriptions.map(({ opened }) => opened)));
  await settle(venue.wallet({ signer: alice }).order(low));
  await settle(venue.wallet({ signer: bob }).order(high));
  await clock.runFor(6000);
  expect(seen["trade"]).toMatchObject([{ marketId: "1_2", price: "50", quantity: "0.5" }]);
  expect(seen["depth"]).toMatchObject([{ bids: [["50", "0.5"]] }, { bids: [["50", "0"]] }]);
  expect(seen["user"]).toMatchObject([
    { eventType: "DEPOSIT" },
    { eventType: "DEPOSIT" },
    { eventType: "NEW" },
    { eventType: "TRADE" },
  ]);
  expect(seen["snapshot"]?.length).toBeGreaterThan(0);
  expect(seen["ticker"]?.length).toBeGreaterThan(0);
  void paper;
});

test("byEventType passes each of the eight user events to the function of its type", async () => {
  const { connect, alice, bob, settle, clock } = world;
  const venue = connect({ withdrawal: { byte: 0x12 } });
  const seen = new Map<UserEventType, UserEvent>();
  const note = (event: UserEvent): void => void seen.set(event.eventType, event);
  const message = byEventType({
    NEW: note,
    TRADE: (event) => {
      // Typed as an execution.
      expect(event.lastQty).toBe("0.5");
      note(event);
    },
    CANCEL: note,
    TRIGGER: note,
    REJECTED: note,
    DEPOSIT: note,
    WITHDRAW: note,
    TRANSFER: (event) => {
      expect(event.toAddress.toLowerCase()).toBe(bob.address);
      note(event);
    },
  });
  await settle(venue.subscribe.userEvent(alice.address, { message }).opened);
  const wallet = venue.wallet({ signer: alice });
  await settle(wallet.order(low));
  await settle(venue.wallet({ signer: bob }).order(high));
  await settle(
    wallet.stop(
      stopOrder({ marketId: "1_2", side: "SELL", stopPrice: "49", price: "48", quantity: "0.5" }),
    ),
  );
  await settle(wallet.order({ ...low, price: "49" }));
  await settle(venue.wallet({ signer: bob }).order({ ...high, price: "49" }));
  await settle(wallet.order({ ...low, quantity: "1000000" }));
  await settle(wallet.cancelAll({}));
  await settle(wallet.tokenTransfer({ to: bob.address, token: "2", value: "1" }));
  await settle(wallet.withdraw({ to: bob.address, token: "2", value: "1" }));
  await clock.runFor(100);
  expect([...seen.keys()].toSorted()).toEqual(
    [...orderUserEvent.shape.eventType.options, "DEPOSIT", "WITHDRAW", "TRANSFER"].toSorted(),
  );
  const rest: string[] = [];
  const others = byEventType({ other: ({ eventType }) => void rest.push(eventType) });
  for (const event of seen.values()) others(event);
  expect(rest).toHaveLength(8);
});

test("the stream reports a lost connection and reconnects", async () => {
  const { venue, network, alice, settle, clock } = world;
  const { calls, listener } = recordingListener();
  const subscription = venue.subscribe.depth("1_2", listener);
  await settle(subscription.opened);
  network.cutSockets();
  await clock.runFor(2000);
  await settle(venue.wallet({ signer: alice }).order(low));
  await clock.runFor(100);
  expect(calls).toEqual(["opened", "closed", "opened", "message"]);
});

test("pings detect a half-open connection", async () => {
  const { venue, network, settle, clock } = world;
  const { calls, listener } = recordingListener();
  await settle(venue.subscribe.trade("1_2", listener).opened);
  network.makeSocketsHalfOpen();
  await clock.runFor(15_000);
  expect(calls).toEqual(["opened", "closed", "opened"]);
});

test("a refused channel rejects and does not affect the others", async () => {
  const { venue, settle, clock, alice } = world;
  const { calls, listener } = recordingListener();
  const good = venue.subscribe.depth("1_2", listener);
  const bad = venue.subscribe.depth("9_9", recordingListener().listener);
  await settle(good.opened);
  await expect(settle(bad.opened)).rejects.toMatchObject({ venueCode: 404 });
  await settle(venue.wallet({ signer: alice }).order(low));
  await clock.runFor(100);
  expect(calls).toEqual(["opened", "message"]);
  expect(() => venue.subscribe.depth("no market", listener)).toThrow("There is no channel");
});

test("two listeners share a channel, and a closed one gets no more messages", async () => {
  const { venue, settle, clock, alice } = world;
  const [first, second] = [recordingListener(), recordingListener()];
  const leaving = venue.subscribe.depth("1_2", first.listener);
  await settle(leaving.opened);
  const staying = venue.subscribe.depth("1_2", second.listener);
  await settle(staying.opened);
  leaving.close();
  await settle(venue.wallet({ signer: alice }).order(low));
  await clock.runFor(100);
  expect(first.calls).toEqual(["opened"]);
  expect(second.calls).toEqual(["opened", "message"]);
});

describe("for await", () => {
  test("gives message after message, and ends when its signal aborts", async () => {
    const { venue, settle, alice } = world;
    const wallet = venue.wallet({ signer: alice });
    const done = new AbortController();
    const ids: number[] = [];
    const read = async (): Promise<void> => {
      const options = { signal: done.signal, opened: () => void twice() };
      for await (const event of venue.messages.depth("1_2", options)) {
        ids.push(event.finalId);
        if (ids.length === 2) done.abort();
      }
    };
    const twice = async (): Promise<void> => {
      await wallet.order(low);
      await wallet.order(low);
    };
    await settle(read());
    expect(ids).toHaveLength(2);
  });

  test("throws on a lost connection, a slow reader or an invalid channel instead of skipping messages", async () => {
    const { venue, network, settle, alice, clock } = world;
    const first = async (stream: AsyncIterable<unknown>): Promise<unknown> => {
      for await (const each of stream) return each;
      return undefined;
    };
    const lost = first(venue.messages.depth("1_2", { opened: () => network.cutSockets() }));
    await expect(settle(lost)).rejects.toMatchObject({ code: "STREAM_LOST" });
    await expect(settle(first(venue.messages.depth("9_9")))).rejects.toMatchObject({
      venueCode: 404,
    });
    const wallet = venue.wallet({ signer: alice });
    const slow = async (): Promise<void> => {
      const options = { capacity: 1, opened: () => void wallet.order(low) };
      for await (const _ of venue.messages.depth("1_2", options)) {
        for (let at = 0; at < 3; at += 1) await wallet.order(low);
        await new Promise<void>((resolve) => {
          clock.after(100, resolve);
        });
      }
    };
    await expect(settle(slow())).rejects.toMatchObject({ code: "STREAM_BEHIND" });
  });
});
