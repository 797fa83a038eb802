import { expect } from "vitest";
import {
  expectRefused,
  expectTaken,
  list,
  money,
  record,
  resultOf,
  take,
  type VenueClient,
} from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { sessions } from "../scenes.ts";

function transferOf(client: VenueClient, value: string, token = "2") {
  return client.alice.sign("tokenTransfer", { to: client.bob.address, token, value });
}

export const wallet: readonly ConformanceCase[] = [
  {
    id: "C-4-01",
    line: "a signed POST has the body { tx } and is answered with the transaction's hash",
    run: async (client) => {
      const { alice } = client;
      const sent = await client.send(alice.limit(0, "1800", "1"));
      expectTaken(sent);
      expectTaken(await client.send(alice.cancel(sent.hash)));
      for (const body of [{}, { tx: 5 }, { tx: "" }, { tx: "0x" }, { tx: "zz" }, [], null]) {
        expectRefused(await client.post("/api/v1/order", body), 400);
      }
    },
  },
  {
    id: "C-4.1-01",
    line: "GET wallet/balance: address is required; balances and the block",
    run: async (client) => {
      const path = "/api/v1/wallet/balance";
      const reply = record(resultOf(await client.get(`${path}?address=${client.alice.address}`)));
      expect(list(reply["balances"]).map(({ tokenId, unlocked }) => [tokenId, unlocked])).toEqual([
        ["1", "100"],
        ["2", "250000"],
        ["3", "10"],
      ]);
      expect(reply["blockNumber"]).toBe(0);
      expectRefused(await client.get(path), 400);
    },
  },
  {
    id: "C-4.1-05",
    line: "POST wallet/session: tx, and a name for display that may be left out",
    run: async (client) => {
      const { alice, session, carol } = client;
      const expiry = client.nowSec() + 1000;
      const named = alice.session(1, session, expiry, { body: { name: "night bot" } });
      expect((await client.send(named)).body).toEqual({ code: 200, errMsg: "OK" });
      expect((await client.send(alice.session(1, carol, expiry))).status).toBe(200);
      const names = (await sessions(client, alice.address)).map(({ name }) => name);
      expect(new Set(names)).toEqual(new Set(["", "night bot"]));
      const bad = alice.session(1, session, expiry, { body: { name: 5 } });
      expectRefused(await client.send(bad), 400);
    },
  },
  {
    id: "C-4.1-07",
    line: "POST wallet/session/delete: the session is over",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      await client.send(alice.session(1, session, expiry));
      const reply = await client.send(alice.session(3, session, expiry));
      expect(reply.body).toEqual({ code: 200, errMsg: "OK" });
      const order = session.order({}, { owner: alice.address });
      expectRefused(await client.send(order), 401);
    },
  },
  {
    id: "C-4.1-08",
    line: "POST wallet/transfer: moves a token, or the native one, at once",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, transferOf(client, "1000.5"));
      await take(client, alice.sign("transfer", { to: bob.address, value: "0.25" }));
      expect(await money(client, alice, "2")).toEqual(["248999.5", "0"]);
      expect(await money(client, bob, "2")).toEqual(["251000.5", "0"]);
      expect(await money(client, bob, "1")).toEqual(["100.25", "0"]);
    },
  },
  {
    id: "C-4.1-09",
    line: "GET wallet/transfer: address required; token_id, from, to, limit narrow it; newest first",
    run: async (client) => {
      const { alice, bob } = client;
      const made: string[] = [];
      for (const token of ["2", "3", "2"]) {
        made.unshift(await take(client, transferOf(client, "1", token)));
        client.advance(1000);
      }
      const hashes = async (owner: string, query = "") => {
        const target = `/api/v1/wallet/transfer?address=${owner}${query}`;
        return list(resultOf(await client.get(target))).map(({ hash }) => hash);
      };
      expect(await hashes(alice.address)).toEqual(made);
      expect(await hashes(bob.address)).toEqual(made);
      expect(await hashes(alice.address, "&token_id=2")).toEqual([made[0], made[2]]);
      expect(await hashes(alice.address, "&limit=1")).toEqual([made[0]]);
      const at = client.nowMs() - 2000;
      expect(await hashes(alice.address, `&from=${at}`)).toEqual([made[0], made[1]]);
      expect(await hashes(alice.address, `&to=${at}`)).toEqual([made[1], made[2]]);
      const path = "/api/v1/wallet/transfer";
      expectRefused(await client.get(path), 400);
      for (const query of ["limit=501", "limit=x", "token_id=x", "from=-1"]) {
        expectRefused(await client.get(`${path}?address=${alice.address}&${query}`), 400);
      }
    },
  },
  {
    id: "C-4.1-10",
    line: "owner, session address and expiry of a session command come from the transaction",
    run: async (client) => {
      const { alice, bob, session } = client;
      const expiry = client.nowSec() + 1234;
      const others = { ownerAddress: bob.address, sessionAddress: bob.address, expiry: 1 };
      await client.send(alice.session(1, session, expiry, { body: others }));
      expect(await sessions(client, bob.address)).toEqual([]);
      expect(await sessions(client, alice.address)).toMatchObject([{ expiry }]);
    },
  },
];
