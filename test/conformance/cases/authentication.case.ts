import { expect } from "vitest";
import { expectRefused, list, money, resultOf, take, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { applied, sessions, trade } from "../scenes.ts";
import type { TypedChange } from "../wallet.ts";

/** A session whose typed data differs from §5 in one thing is refused, and the right one taken. */
async function expectTyped(client: VenueClient, typed: TypedChange): Promise<void> {
  const { alice, session } = client;
  const expiry = client.nowSec() + 1000;
  expectRefused(await client.send(alice.session(1, session, expiry, { typed })), 401);
  expect(await sessions(client, alice.address)).toEqual([]);
  expect((await client.send(alice.session(1, session, expiry))).status).toBe(200);
}

/** How long the list is that each of the three is given; without an address nobody is. */
async function counts(client: VenueClient, path: string): Promise<number[]> {
  expectRefused(await client.get(path), 400);
  const lengths: number[] = [];
  for (const { address } of [client.alice, client.bob, client.carol]) {
    lengths.push(list(resultOf(await client.get(`${path}?address=${address}`))).length);
  }
  return lengths;
}

export const authentication: readonly ConformanceCase[] = [
  {
    id: "C-5-01",
    line: "market data and /time need no authentication",
    run: async (client) => {
      for (const target of [
        "/time",
        "/api/v1/market",
        "/api/v1/market/ticker",
        "/api/v1/market/tokens",
        "/api/v1/market/trades?marketId=1_2",
        "/api/v1/market/depth?marketId=1_2",
        "/market/candles?marketId=1_2&resolution=1M",
      ]) {
        expect((await client.get(target)).status).toBe(200);
      }
    },
  },
  {
    id: "C-5-02",
    line: "wallet and order reads go by the address alone",
    run: async (client) => {
      await trade(client);
      expect(await counts(client, "/api/v1/order/open")).toEqual([1, 0, 0]);
      expect(await counts(client, "/api/v1/order")).toEqual([0, 1, 0]);
      expect(await counts(client, "/api/v1/order/trade")).toEqual([1, 1, 0]);
      expectRefused(await client.get("/api/v1/wallet/balance"), 400);
      expect(await money(client, client.alice, "1")).toEqual(["98", "1"]);
      expect(await money(client, client.bob, "1")).toEqual(["100.9995", "0"]);
    },
  },
  {
    id: "C-5-03",
    line: "session and transfer reads go by the address alone",
    run: async (client) => {
      const { alice, bob } = client;
      await applied(client);
      await take(client, alice.sign("transfer", { to: bob.address, value: "1" }));
      expect(await counts(client, "/api/v1/wallet/session")).toEqual([1, 0, 0]);
      expect(await counts(client, "/api/v1/wallet/transfer")).toEqual([1, 1, 0]);
    },
  },
  {
    id: "C-5-06",
    line: "session commands carry a typed signature of the owner's key",
    run: async (client) => {
      const { bob } = client;
      await expectTyped(client, { by: bob });
    },
  },
  {
    id: "C-5-07",
    line: "primary type RegisterSessionWallet",
    run: (client) => expectTyped(client, { primaryType: "RegisterSession" }),
  },
  {
    id: "C-5-08",
    line: "message: sessionWallet, expiry, nonce",
    run: async (client) => {
      const { alice, bob, session } = client;
      const expiry = client.nowSec() + 1000;
      for (const typed of [{ sessionWallet: bob.address }, { expiry: "1" }]) {
        expectRefused(await client.send(alice.session(1, session, expiry, { typed })), 401);
      }
      await expectTyped(client, { nonce: "5" });
    },
  },
  {
    id: "C-5-09",
    line: "domain name DEXSignTransaction",
    run: (client) => expectTyped(client, { name: "DEX" }),
  },
  {
    id: "C-5-10",
    line: "domain version 1",
    run: (client) => expectTyped(client, { version: "2" }),
  },
  {
    id: "C-5-11",
    line: "domain chain id that of layer 1, not of layer 2",
    run: (client) => expectTyped(client, { chainId: 1001 }),
  },
  {
    id: "C-5-12",
    line: "verifying contract the zero address",
    run: (client) => expectTyped(client, { verifyingContract: `0x${"0".repeat(38)}cc` }),
  },
  {
    id: "C-5-13",
    line: "one nonce in the typed data, the context and the transaction",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      const nonce = alice.nextNonce();
      const context = { nonce: nonce + 1 };
      // The typed data says what the context says, the transaction does not.
      const typed = { nonce: String(nonce + 1) };
      const mixed = alice.session(1, session, expiry, { nonce, context, typed });
      expectRefused(await client.send(mixed), 400);
      expect((await client.send(alice.session(1, session, expiry))).status).toBe(200);
    },
  },
  {
    id: "C-5-14",
    line: "streams need no authentication, a user's one goes by the address alone",
    run: async (client) => {
      const stream = await client.connect();
      const channels = ["trade@1_2", "depth@1_2", "ticker", `userEvent@${client.bob.address}`];
      expect(await stream.subscribe(...channels)).toEqual({ result: "ok", id: 1 });
      await trade(client);
      client.advance(1000);
      const pushes = [];
      for (const channel of channels) pushes.push(await stream.pushes(channel));
      // Bob's order is new, and trades; nothing of Alice's comes.
      expect(pushes.map(({ length }) => length)).toEqual([1, 2, 1, 2]);
      const whose = pushes[3]?.map(({ accountAddress }) => String(accountAddress).toLowerCase());
      expect(whose).toEqual(Array(2).fill(client.bob.address.toLowerCase()));
    },
  },
];
