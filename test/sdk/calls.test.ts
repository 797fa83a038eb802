import { beforeAll, describe, expect, test } from "vitest";
import { TransportError } from "../../src/base/error.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, orderId, tokenId } from "../../src/domain/ids.ts";
import { unixSec } from "../../src/domain/time.ts";
import { VenueError } from "../../src/gateway/venue-error.ts";
import { camelCase } from "../../src/sdk/camel-case.ts";
import { ownerOf } from "../../src/sdk/node.ts";
import { limitOrder, marketOrder, stopOrder } from "../../src/sdk/order-context.ts";
import { signSession } from "../../src/sdk/session.ts";
import { type ContextInput, signTransaction } from "../../src/sdk/sign-transaction.ts";
import { withdrawalCommand } from "../../src/sdk/withdrawal.ts";
import { channels } from "../../src/spec/channels.ts";
import type { CommandSpec } from "../../src/spec/command.ts";
import { commands } from "../../src/spec/commands.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { CommandSigner, type SignableCommand } from "../../src/spec/sign-command.ts";
import { testCrypto } from "../support/venue.ts";
import { type SdkWorld, sdkWorld } from "./world.ts";

let world: SdkWorld;
beforeAll(async () => {
  world = await sdkWorld();
});

const low = limitOrder({ marketId: "1_2", side: "BUY", price: "50", quantity: "0.5" });

test("every endpoint, channel and command of the tables has a method", () => {
  const { venue, alice } = world;
  const wallet = venue.wallet({ signer: alice });
  for (const name of Object.keys(endpoints)) expect(venue).toHaveProperty(camelCase(name));
  for (const name of Object.keys(channels)) {
    expect(venue.subscribe).toHaveProperty(name);
    expect(venue.messages).toHaveProperty(name);
  }
  for (const name of Object.keys(commands).filter((each) => each !== "session")) {
    expect(wallet).toHaveProperty(camelCase(name));
  }
});

describe("the bytes", () => {
  test("of every command equal those of the bot's signer", async () => {
    const crypto = await testCrypto();
    const { alice: signer, bob } = world;
    const signing = { owner: bob.address, signer, chainId: 1001, crypto };
    const theirs = new CommandSigner({ owner: bob.address, chainId: 1001, crypto, signer });
    const market = { marketId: marketId("1", "2"), orderMode: 0, quantity: fixed("0.25") } as const;
    const id = orderId(`0x${"ab".repeat(32)}`);
    if (id === undefined) throw new Error("an order id");
    const nonce = 1_700_000_000_123;
    const to = "0x52908400098527886E0F7030069857D2E4169EE7";
    const address = to.toLowerCase() as typeof bob.address;
    const l1signature = `0x${"11".repeat(64)}1b`;
    const tpsl = { tpLimit: "120", slTrigger: "90", slLimit: "89.5" };
    const sign = <C extends CommandSpec>(command: C, context: ContextInput<C>) =>
      signTransaction(signing, command, context, nonce);
    const wanted: readonly (readonly [SignableCommand, { readonly txHash: string; tx: string }])[] =
      [
        [
          {
            type: "place",
            nonce,
            ...market,
            side: "SELL",
            orderType: "LIMIT",
            price: 1834.5,
            tpsl: { tpLimit: 120, slTrigger: 90, slLimit: 89.5 },
          },
          sign(
            commands.order,
            limitOrder({ marketId: "1_2", side: "SELL", price: "1834.5", quantity: "0.25", tpsl }),
          ),
        ],
        [
          { type: "place", nonce, ...market, side: "BUY", orderType: "MARKET", price: 0 },
          sign(commands.order, marketOrder({ marketId: "1_2", side: "BUY", quantity: "0.25" })),
        ],
        [
          {
            type: "stop",
            nonce,
            ...market,
            side: "SELL",
            orderType: "LIMIT",
            stopPrice: 90,
            price: 89,
          },
          sign(
            commands.stop,
            stopOrder({
              marketId: "1_2",
              side: "SELL",
              stopPrice: "90",
              price: "89",
              quantity: "0.25",
            }),
          ),
        ],
        [
          { type: "modify", nonce, orderId: id, newPrice: 12, newQty: fixed("3") },
          sign(commands.modify, { newQty: "3", newPrice: "12", orderId: id }),
        ],
        [{ type: "cancel", nonce, orderId: id }, sign(commands.cancel, { orderId: id })],
        [{ type: "cancel-all", nonce }, sign(commands["cancel-all"], {})],
        [
          { type: "transfer", nonce, to: address, value: fixed("1.5") },
          sign(commands.transfer, { value: "1.5", to }),
        ],
        [
          {
            type: "token-transfer",
            nonce,
            to: address,
            tokenId: tokenId("2"),
            value: fixed("1.5"),
          },
          sign(commands["token-transfer"], { to, token: "2", value: "1.5" }),
        ],
        [
          { type: "withdraw", nonce, to: address, tokenId: tokenId("2"), value: fixed("1.5") },
          sign(withdrawalCommand({ byte: 0x12 }), { to, token: "2", value: "1.5" }),
        ],
        [
          {
            type: "session-update",
            nonce,
            sessionWallet: address,
            expirySec: unixSec(1_800_000_000),
            l1signature,
          },
          signSession(
            signing,
            {
              action: "update",
              sessionWallet: to as typeof address,
              expirySec: unixSec(1_800_000_000),
              nonce,
            },
            l1signature,
          ),
        ],
      ];
    for (const [command, ours] of wanted) {
      const { bytesHex, txHash } = theirs.sign(command);
      expect({ type: command.type, tx: ours.tx, txHash: ours.txHash }).toEqual({
        type: command.type,
        tx: bytesHex,
        txHash,
      });
    }
  });

  test("of a withdrawal follow the given command byte and field names", async () => {
    const command = withdrawalCommand({ byte: 0x31, fields: { to: "recipient" } });
    expect(command.byte).toBe(0x31);
    const l1owner = `0x${"ab".repeat(20)}`;
    const context = command.context.parse({ l1owner, to: l1owner, token: "1", value: "2" });
    expect(JSON.stringify(context)).toBe(
      `{"l1owner":"${l1owner}","recipient":"${l1owner}","token":"1","value":"2"}`,
    );
  });
});

const market = { marketId: "1_2", side: "BUY" };
const limit = { ...market, price: "50", quantity: "1" };
const stop = { ...market, stopPrice: "60", quantity: "1" };

test.each([
  [limitOrder, { ...limit, side: "buy" }, /side is not one of BUY, SELL \(it is "buy"\)/],
  [limitOrder, { ...limit, side: undefined }, /side is not one of BUY, SELL \(it is undefined\)/],
  [limitOrder, { ...limit, side: 0 }, /side is not one of BUY, SELL \(it is 0\)/],
  [marketOrder, { ...market, side: "0", quantity: "1" }, /side is not one of .* \(it is "0"\)/],
  [limitOrder, { ...limit, marketId: "12" }, /marketId is not a market id like 1_2 .*"12"/],
  [limitOrder, { ...limit, marketId: "ETH/USDT" }, /not a market id like 1_2 .*"ETH\/USDT"/],
  [limitOrder, { ...limit, marketId: "1_2_3" }, /marketId is not a market id/],
  [limitOrder, { ...limit, marketId: "01_2" }, /marketId is not a market id/],
  [limitOrder, { ...limit, marketId: "1_1" }, /marketId is not a market id/],
  [marketOrder, { ...market, marketId: "1_02", quantity: "1" }, /marketId is not a market id/],
  [stopOrder, { ...stop, marketId: "0x1_2" }, /marketId is not a market id/],
  [limitOrder, { ...limit, price: "0" }, /price is 0/],
  [limitOrder, { ...limit, price: null }, /price is not of type string \(it is null\)/],
  [limitOrder, { ...limit, quantity: 1 }, /quantity is not of type string \(it is 1\)/],
  [limitOrder, { ...limit, stopLoss: "40" }, /not known: stopLoss/],
  [limitOrder, { ...limit, tpsl: { tpLimit: "70", slTriger: "40" } }, /slTrigger/],
  [limitOrder, { ...limit, tpsl: null }, /tpsl is not of type object/],
  [marketOrder, { ...market, quantity: "1", quoteQuantity: "5" }, /one of quantity and quote/],
  [marketOrder, market, /needs one of quantity and quoteQuantity/],
  [marketOrder, { ...market, quantity: "1", price: "50" }, /not known: price/],
  [stopOrder, { ...stop, price: null }, /price is not of type string \(it is null\)/],
  [stopOrder, { ...stop, price: "0" }, /price is 0/],
  [stopOrder, { ...stop, limitPrice: "59" }, /not known: limitPrice/],
  [stopOrder, { ...market, stopPrice: "60", price: "59", quoteQuantity: "5" }, /in base token/],
])("%o refuses %o by name", (make, terms, said) => {
  const order = (): unknown => Reflect.apply(make, undefined, [terms]);
  expect(order).toThrow(said);
  expect(order).toThrow(expect.objectContaining({ code: "CONTEXT_INVALID" }));
});

test("a parameter that a query does not have is refused, since the venue would ignore it", async () => {
  const { venue, alice } = world;
  const misspelt = { address: alice.address, marketID: "1_2" };
  await expect(venue.orderOpen(misspelt)).rejects.toMatchObject({
    code: "QUERY_INVALID",
    message: "order-open has no parameter marketID.",
    hint: expect.stringContaining("marketId"),
  });
});

describe("a wallet", () => {
  test("never uses a nonce twice, even in a burst and with two wallets of one key", async () => {
    const { venue, alice, settle } = world;
    const wallets = [venue.wallet({ signer: alice }), venue.wallet({ signer: alice })];
    const sent = await settle(
      Promise.all(
        Array.from({ length: 30 }).flatMap(() => wallets.map((wallet) => wallet.order(low))),
      ),
    );
    expect(new Set(sent.map((each) => each.nonce)).size).toBe(60);
    const open = await settle(venue.lists.openOrders({ address: alice.address }).catch(() => []));
    expect(open.length === 60 || open.length === 0).toBe(true);
    await world.clock.runFor(2000);
    const later = await settle(venue.lists.openOrders({ address: alice.address }));
    expect(later.length).toBe(60);
    await settle(venue.wallet({ signer: alice }).cancelAll({}));
    expect(await settle(venue.orderOpen({ address: alice.address }))).toEqual([]);
  });

  test("signs the same bytes wherever clock and random bytes are the same", async () => {
    const prepared = await Promise.all(
      [await sdkWorld(), await sdkWorld()].map(({ venue, alice, settle }) =>
        settle(venue.wallet({ signer: alice }).sign("order", low)),
      ),
    );
    expect(prepared[0]?.tx).toBe(prepared[1]?.tx);
  });

  test("signs again with a new nonce when another process has used the nonce", async () => {
    const { venue, connect, alice, settle } = world;
    const other = connect().wallet({ signer: alice });
    const wallet = venue.wallet({ signer: alice });
    await world.clock.runFor(5_000);
    const [mine, theirs] = await settle(
      Promise.all([wallet.order(low), other.order({ ...low, price: "49" })]),
    );
    expect(mine.txHash).not.toBe(theirs.txHash);
    expect(await settle(venue.orderOpen({ address: alice.address }))).toHaveLength(2);
    await settle(wallet.cancelAll({}));
  });

  test("puts the order id into the error of an unknown outcome, and can send the same bytes again", async () => {
    const { venue, network, alice, settle } = world;
    const wallet = venue.wallet({ signer: alice });
    const prepared = await settle(wallet.sign("order", low));
    network.faults.cutResponse = 1;
    const failure = await settle(wallet.send(prepared).catch((thrown: unknown) => thrown));
    network.faults.cutResponse = 0;
    expect(failure).toBeInstanceOf(TransportError);
    expect(failure).toMatchObject({ outcome: "unknown", context: { txHash: prepared.txHash } });
    expect(await settle(wallet.send(prepared))).toMatchObject({ txHash: prepared.txHash });
    const open = await settle(venue.orderOpen({ address: alice.address }));
    expect(open.map((each) => each.orderId)).toEqual([prepared.txHash]);
    await settle(wallet.cancelAll({}));
  });

  test("rejects an invalid context before it signs, and later passes on the venue's refusal", async () => {
    const { venue, alice, settle } = world;
    const wallet = venue.wallet({ signer: alice });
    await expect(settle(wallet.order({ ...low, price: "1e3" }))).rejects.toMatchObject({
      code: "CONTEXT_INVALID",
      message: 'order.price is not plain decimal text (it is "1e3").',
    });
    const unknownId = `0x${"00".repeat(32)}`;
    const failure = await settle(
      wallet.cancel({ orderId: unknownId }).catch((thrown: unknown) => thrown),
    );
    expect(failure).toBeInstanceOf(VenueError);
    expect(failure).toMatchObject({ venueCode: 404 });
    expect(JSON.stringify(failure)).not.toContain("0x01".padEnd(20, "01"));
  });

  test("refuses to transfer to an address with a wrong checksum", async () => {
    const { venue, alice, settle } = world;
    const wallet = venue.wallet({ signer: alice });
    const to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
    await settle(wallet.transfer({ to, value: "0.01" }));
    await settle(wallet.transfer({ to: to.toLowerCase(), value: "0.01" }));
    const typo = wallet.tokenTransfer({ to: to.replace("aA", "AA"), token: "2", value: "1" });
    await expect(settle(typo)).rejects.toMatchObject({
      code: "CONTEXT_INVALID",
      message: expect.stringContaining("EIP-55"),
    });
  });

  test("refuses to withdraw without a withdrawal structure", async () => {
    const { venue, connect, alice, settle } = world;
    const money = { to: alice.address, token: "2", value: "5" };
    await expect(settle(venue.wallet({ signer: alice }).withdraw(money))).rejects.toMatchObject({
      code: "WITHDRAWAL_UNKNOWN",
    });
    const knowing = connect({ withdrawal: { byte: 0x12 } }).wallet({ signer: alice });
    expect(await settle(knowing.withdraw(money))).toHaveProperty("txHash");
  });
});

test.each([
  ["milliseconds", (nowMs: number) => nowMs + 3_600_000],
  ["a length", () => 3_600],
  ["a time beyond a year", (nowMs: number) => Math.floor(nowMs / 1000) + 400 * 86_400],
  ["a part of a second", (nowMs: number) => nowMs / 1000 + 0.5],
])("a session's expiry that is %s is refused before the owner signs", async (_, expiryOf) => {
  const { venue, alice, bob: signer, settle, clock } = world;
  const owner = { ...ownerOf(alice), signTypedData: () => Promise.reject(new Error("asked")) };
  const change = { owner, signer, expirySec: expiryOf(clock.nowMs()) };
  for (const changing of [venue.createSession, venue.updateSession]) {
    await expect(settle(changing(change))).rejects.toMatchObject({ code: "EXPIRY_INVALID" });
  }
});

test("a session can be created, trade, be updated and deleted, but cannot move money", async () => {
  const { venue, alice, bob: signer, settle, clock } = world;
  const owner = ownerOf(alice);
  const nowSec = Math.floor(clock.nowMs() / 1000);
  await settle(venue.createSession({ owner, signer, expirySec: nowSec + 60, name: "bot" }));
  const session = venue.wallet({ signer, owner: owner.address });
  await settle(session.order(low));
  expect(await settle(venue.orderOpen({ address: owner.address }))).toHaveLength(1);
  const theft = session.tokenTransfer({ to: signer.address, token: "2", value: "1" });
  await expect(settle(theft)).rejects.toMatchObject({ venueCode: 401 });
  await settle(venue.updateSession({ owner, signer, expirySec: nowSec + 600 }));
  expect(await settle(venue.sessionList({ address: owner.address }))).toMatchObject([
    { name: "bot", expiry: nowSec + 600, applied: true },
  ]);
  await settle(venue.deleteSession({ owner, signer, expirySec: nowSec + 600 }));
  await expect(settle(session.cancelAll({}))).rejects.toMatchObject({ venueCode: 401 });
});
