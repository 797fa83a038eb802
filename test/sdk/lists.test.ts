import { expect, test } from "vitest";
import { limitOrder } from "../../src/sdk/order-context.ts";
import { sdkWorld } from "./world.ts";

/** Reads lists of more than a page, older than one request reaches, from the paper venue on a virtual clock. */

const DAY_MS = 86_400_000;
const buy = limitOrder({ marketId: "1_2", side: "BUY", price: "50", quantity: "0.1" });

test("openOrders returns all open orders of any age, each once, beyond a page", async () => {
  const { venue, alice, settle, clock } = await sdkWorld();
  const wallet = venue.wallet({ signer: alice });
  const placed: string[] = [];
  for (const { count, days } of [
    { count: 103, days: 200 },
    { count: 102, days: 45 },
    { count: 5, days: 1 },
  ]) {
    for (let at = 0; at < count; at += 1) placed.push((await settle(wallet.order(buy))).txHash);
    await clock.runFor(days * DAY_MS);
  }
  const { address } = alice;
  // One request finds at most a page, and no order older than 30 days.
  expect(await settle(venue.orderOpen({ address, limit: 100 }))).toHaveLength(5);

  const open = await settle(venue.lists.openOrders({ address }));
  expect(open.map(({ orderId }) => orderId)).toEqual(placed.toReversed());
  const newest = await settle(venue.lists.openOrders({ address, maxRows: 7 }));
  expect(newest.map(({ orderId }) => orderId)).toEqual(placed.slice(-7).toReversed());
  const venueNowMs = await settle(venue.nowMs());
  const sinceMs = venueNowMs - 60 * DAY_MS;
  expect(await settle(venue.lists.openOrders({ address, sinceMs }))).toHaveLength(107);
  const untilMs = venueNowMs - 60 * DAY_MS;
  expect(await settle(venue.lists.openOrders({ address, untilMs }))).toHaveLength(103);
});

test("a list that grows by more than a page within its last second is read again", async () => {
  const { venue, alice, settle } = await sdkWorld();
  const wallet = venue.wallet({ signer: alice });
  await settle(Promise.all(Array.from({ length: 110 }, () => wallet.order(buy))));
  expect(await settle(venue.lists.openOrders({ address: alice.address }))).toHaveLength(110);
});

test("userTrades and orderHistory return executions and completed orders beyond a page of 500", async () => {
  const { venue, alice, bob, settle, clock } = await sdkWorld();
  const [maker, taker] = [venue.wallet({ signer: alice }), venue.wallet({ signer: bob })];
  const ids = new Set<string>();
  for (let batch = 0; batch < 10; batch += 1) {
    const made = await settle(
      Promise.all(Array.from({ length: 51 }, () => maker.order({ ...buy, quantity: "0.01" }))),
    );
    for (const { txHash } of made) ids.add(txHash);
    await settle(taker.order({ ...buy, side: 1, quantity: "0.51" }));
    await settle(maker.tokenTransfer({ to: bob.address, token: "2", value: "0.01" }));
    await clock.runFor(500);
  }
  await clock.runFor(2_000);
  const { address } = alice;
  const idsOf = (rows: readonly { orderId: string }[]) => rows.map(({ orderId }) => orderId);
  const trades = idsOf(await settle(venue.lists.userTrades({ address })));
  const history = idsOf(await settle(venue.lists.orderHistory({ address })));
  for (const found of [trades, history]) {
    expect(found).toHaveLength(510);
    expect(new Set(found)).toEqual(ids);
  }
  const transfers = await settle(venue.lists.transfers({ address }));
  expect(new Set(transfers.map(({ hash }) => hash)).size).toBe(10);
});
