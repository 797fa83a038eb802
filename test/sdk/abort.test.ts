import { beforeAll, describe, expect, test } from "vitest";
import type { CallOptions } from "../../src/gateway/venue-client.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { limitOrder, stopOrder } from "../../src/sdk/order-context.ts";
import type { Venue } from "../../src/sdk/connect-venue.ts";
import type { Wallet } from "../../src/sdk/wallet.ts";
import { type SdkWorld, sdkWorld } from "./world.ts";

/** Tests that a signal aborts every call of the SDK. The compiler demands a line here for each new method. */

let world: SdkWorld;
beforeAll(async () => {
  world = await sdkWorld();
});

type Call = (options: CallOptions) => Promise<unknown>;

const marketId = "1_2";
const orderId = `0x${"11".repeat(32)}`;
const low = limitOrder({ marketId, side: "BUY", price: "50", quantity: "0.5" });
/** Never parsed, since the request is aborted before. */
const tx = "0x00";

function fetcher(venue: Venue, address: string) {
  return {
    time: (options) => venue.time({}, options),
    market: (options) => venue.market({}, options),
    ticker: (options) => venue.ticker({}, options),
    tokens: (options) => venue.tokens({}, options),
    trades: (options) => venue.trades({ marketId }, options),
    depth: (options) => venue.depth({ marketId }, options),
    candles: (options) => venue.candles({ marketId, resolution: "1" }, options),
    balance: (options) => venue.balance({ address }, options),
    withdraw: (options) => venue.withdraw({ tx }, options),
    withdrawRetry: (options) => venue.withdrawRetry({ txHash: orderId }, options),
    sessionList: (options) => venue.sessionList({ address }, options),
    sessionCreate: (options) => venue.sessionCreate({ tx }, options),
    sessionUpdate: (options) => venue.sessionUpdate({ tx }, options),
    sessionDelete: (options) => venue.sessionDelete({ tx }, options),
    transfer: (options) => venue.transfer({ tx }, options),
    transfers: (options) => venue.transfers({ address }, options),
    orderOpen: (options) => venue.orderOpen({ address }, options),
    orderHistory: (options) => venue.orderHistory({ address }, options),
    orderShow: (options) => venue.orderShow({ orderId }, options),
    orderTrade: (options) => venue.orderTrade({ address }, options),
    order: (options) => venue.order({ tx }, options),
    orderCancel: (options) => venue.orderCancel({ tx }, options),
    orderCancelAll: (options) => venue.orderCancelAll({ tx }, options),
    orderModify: (options) => venue.orderModify({ tx }, options),
    orderTrigger: (options) => venue.orderTrigger({ tx }, options),
    nowMs: (options) => venue.nowMs(options),
  } satisfies Record<
    Exclude<
      keyof Venue,
      | "subscribe"
      | "messages"
      | "book"
      | "lists"
      | "wallet"
      | "close"
      | "createSession"
      | "updateSession"
      | "deleteSession"
    >,
    Call
  >;
}

function lists(venue: Venue, address: string) {
  return {
    openOrders: (options) => venue.lists.openOrders({ address, ...options }),
    orderHistory: (options) => venue.lists.orderHistory({ address, ...options }),
    userTrades: (options) => venue.lists.userTrades({ address, ...options }),
    transfers: (options) => venue.lists.transfers({ address, ...options }),
    candles: (options) => venue.lists.candles({ marketId, resolution: "1", ...options }),
  } satisfies Record<keyof Venue["lists"], Call>;
}

function commands(wallet: Wallet) {
  const to = wallet.owner;
  return {
    order: (options) => wallet.order(low, options),
    cancel: (options) => wallet.cancel({ orderId }, options),
    cancelAll: (options) => wallet.cancelAll({}, options),
    modify: (options) => wallet.modify({ orderId, newPrice: "51" }, options),
    stop: (options) =>
      wallet.stop(stopOrder({ marketId, side: "SELL", stopPrice: "40", quantity: "0.1" }), options),
    transfer: (options) => wallet.transfer({ to, value: "1" }, options),
    tokenTransfer: (options) => wallet.tokenTransfer({ to, token: "2", value: "1" }, options),
    withdraw: (options) => wallet.withdraw({ to, token: "2", value: "1" }, options),
    sign: (options) => wallet.sign("order", low, options),
    send: async (options) => wallet.send(await wallet.sign("order", low), options),
  } satisfies Record<Exclude<keyof Wallet, "owner" | "signerAddress">, Call>;
}

function sessions(venue: Venue) {
  const { alice, bob: signer, clock } = world;
  const expirySec = Math.floor(clock.nowMs() / 1000) + 3600;
  const change = { owner: ownerOf(alice), signer, expirySec };
  return {
    createSession: (options: CallOptions) => venue.createSession(change, options),
    updateSession: (options: CallOptions) => venue.updateSession(change, options),
    deleteSession: (options: CallOptions) => venue.deleteSession(change, options),
  };
}

function allCalls(venue: Venue): readonly (readonly [string, Call])[] {
  const address = world.alice.address;
  return [
    ...Object.entries(fetcher(venue, address)),
    ...Object.entries(lists(venue, address)).map(
      ([name, call]) => [`lists.${name}`, call] as const,
    ),
    ...Object.entries(commands(venue.wallet({ signer: world.alice }))).map(
      ([name, call]) => [`wallet.${name}`, call] as const,
    ),
    ...Object.entries(sessions(venue)),
  ];
}

/** A separate client that can withdraw and counts its requests. */
function counted() {
  let requests = 0;
  const venue = world.connect({ withdrawal: { byte: 0x12 } }, () => {
    requests += 1;
  });
  return { venue, requests: () => requests };
}

test("a call that is aborted before it is sent rejects as not-sent and sends nothing", async () => {
  const { venue, requests } = counted();
  // Read the clock first, so that the call of `wallet.send` can sign.
  await world.settle(venue.wallet({ signer: world.alice }).sign("order", low));
  const before = requests();
  for (const [name, call] of allCalls(venue)) {
    const failure = world.settle(call({ signal: AbortSignal.abort() }));
    await expect(failure, name).rejects.toMatchObject({
      code: "HTTP_ABORTED",
      outcome: "not-sent",
    });
  }
  expect(requests() - before).toBe(0);
});

test("a call that is aborted while the venue does not respond rejects at once", async () => {
  const { network, clock, settle } = world;
  const { venue } = counted();
  const calls = allCalls(venue).filter(([name]) => !["wallet.sign", "nowMs"].includes(name));
  // Read the clock first: commands that are signed before they are sent need it.
  await settle(venue.nowMs());
  for (const signer of [world.alice, world.bob])
    await settle(venue.wallet({ signer }).sign("order", low));
  network.faults.frozen = true;
  for (const [name, call] of calls) {
    const controller = new AbortController();
    const startMs = clock.nowMs();
    clock.after(20, () => controller.abort());
    const failure = settle(call({ signal: controller.signal }));
    await expect(failure, name).rejects.toMatchObject({ code: "HTTP_ABORTED" });
    expect(clock.nowMs() - startMs, name).toBeLessThan(100);
  }
  network.faults.frozen = false;
});

test("a call that is aborted while it waits for the owner's signature rejects as not-sent", async () => {
  const { settle, clock, alice, bob: signer } = world;
  const { venue } = counted();
  const controller = new AbortController();
  const owner = {
    address: alice.address,
    signTypedData: () => new Promise<string>(() => undefined),
  };
  const creating = venue.createSession(
    { owner, signer, expirySec: Math.floor(clock.nowMs() / 1000) + 3600 },
    { signal: controller.signal },
  );
  clock.after(50, () => controller.abort());
  await expect(settle(creating)).rejects.toMatchObject({
    code: "HTTP_ABORTED",
    outcome: "not-sent",
  });
});

describe("a signal ends a subscription", () => {
  test.each(["trade", "depth", "depthSnapshot", "userEvent", "ticker"] as const)(
    "%s",
    async (kind) => {
      const { venue, settle, clock, alice } = world;
      const controller = new AbortController();
      const { signal } = controller;
      const parameter = kind === "userEvent" ? alice.address : marketId;
      const listener = { message: () => undefined };
      const subscription =
        kind === "ticker"
          ? venue.subscribe.ticker(listener, { signal })
          : venue.subscribe[kind](parameter, listener, { signal });
      const messages: AsyncIterable<unknown> =
        kind === "ticker"
          ? venue.messages.ticker({ signal })
          : venue.messages[kind](parameter, { signal });
      const drained = (async () => {
        for await (const _ of messages);
        return "ended";
      })();
      clock.after(200, () => controller.abort());
      expect(await settle(drained)).toBe("ended");
      await settle(subscription.opened.catch(() => undefined));
      const ended = venue.subscribe.trade(marketId, listener, { signal });
      await expect(settle(ended.opened)).rejects.toMatchObject({ code: "SUBSCRIPTION_CLOSED" });
    },
  );
});
