import { Transaction } from "ethers";
import { expect } from "vitest";
import {
  expectRefused,
  expectTaken,
  money,
  orderOf,
  record,
  resultOf,
  take,
  type VenueClient,
} from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";
import { applied, openOrders, sessions, watchUser } from "../scenes.ts";
import type { Signed } from "../wallet.ts";

/** The transaction's fields as `change` leaves them, in RLP; the signature stays. */
function recoded(signed: Signed, change: (fields: Uint8Array[]) => void): Signed {
  const transaction = Transaction.from(signed.body.tx);
  const { signature } = transaction;
  if (signature === null) throw new Error("a signed transaction");
  const integer = (value: bigint): Uint8Array => {
    const digits = value === 0n ? "" : value.toString(16);
    return Uint8Array.from(Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, "hex"));
  };
  const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.slice(2), "hex"));
  const fields = [
    integer(BigInt(transaction.nonce)),
    integer(transaction.gasPrice ?? 0n),
    integer(transaction.gasLimit),
    hex(transaction.to ?? "0x"),
    integer(transaction.value),
    hex(transaction.data),
    integer(BigInt(signature.networkV ?? signature.v)),
    integer(BigInt(signature.r)),
    integer(BigInt(signature.s)),
  ];
  change(fields);
  const payload = Buffer.concat(fields.map((field) => item(field)));
  return {
    ...signed,
    body: { tx: `0x${Buffer.concat([header(0xc0, payload.length), payload]).toString("hex")}` },
  };
}

function item(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 1 && (bytes[0] ?? 0) < 0x80) return bytes;
  return Buffer.concat([header(0x80, bytes.length), bytes]);
}

function header(base: number, length: number): Uint8Array {
  if (length <= 55) return Uint8Array.of(base + length);
  const digits = Buffer.from(length.toString(16).padStart(length > 255 ? 4 : 2, "0"), "hex");
  return Uint8Array.of(base + 55 + digits.length, ...digits);
}

/** Order of secp256k1. */
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

function big(bytes: Uint8Array | undefined): bigint {
  return BigInt(`0x${Buffer.from(bytes ?? []).toString("hex")}`);
}

function bytesOf(value: bigint): Uint8Array {
  return Uint8Array.from(Buffer.from(value.toString(16).padStart(64, "0"), "hex"));
}

function sessionOrder(client: VenueClient): Signed {
  return client.session.order({ price: "1700" }, { owner: client.alice.address });
}

export const decisionsOfTransactions: readonly ConformanceCase[] = [
  {
    id: "C-D1-01",
    line: "streams are at /ws on the REST port",
    run: async ({ venue, connect }) => {
      expect(venue.ws).toBe(`${venue.rest.replace("http", "ws")}/ws`);
      expect((await connect()).isOpen()).toBe(true);
    },
  },
  {
    id: "C-D2-01",
    line: "both chain ids are settings",
    venue: { chainId: 5, l1ChainId: 6 },
    run: async (client) => {
      const { alice, session } = client;
      expectTaken(await client.send(alice.order({}, { chainId: 5 })));
      expectRefused(await client.send(alice.order({}, { chainId: 1001 })), 400);
      const expiry = client.nowSec() + 1000;
      const change = { chainId: 5, typed: { chainId: 6 } };
      expect((await client.send(alice.session(1, session, expiry, change))).status).toBe(200);
    },
  },
  {
    id: "C-D2-02",
    line: "unless told otherwise layer 2 is 1001, layer 1 is 8217",
    run: async (client) => {
      expectTaken(await client.send(client.alice.order({}, { chainId: 1001 })));
      await applied(client);
    },
  },
  {
    id: "C-D3-01",
    line: "userEvent@ takes an address in any case; messages carry the checksummed name",
    run: async (client) => {
      const { alice } = client;
      const names = [
        alice.address,
        alice.address.toLowerCase(),
        `0x${alice.address.slice(2).toUpperCase()}`,
      ];
      for (const name of names) {
        const stream = await client.connect();
        await stream.subscribe(`userEvent@${name}`);
        await take(client, alice.limit(0, "1700", "0.1"));
        expect(await stream.pushes(`userEvent@${alice.address}`)).toHaveLength(1);
      }
    },
  },
  {
    id: "C-D4-01",
    line: "ids compare in any case and are given in lower case",
    run: async (client) => {
      const { alice } = client;
      const id = await take(client, alice.limit(0, "1700", "1"));
      expect(id).toBe(id.toLowerCase());
      const upper = `0x${id.slice(2).toUpperCase()}`;
      expect((await orderOf(client, upper))["orderId"]).toBe(id);
      expectTaken(await client.send(alice.cancel(upper)));
      expect((await orderOf(client, id))["status"]).toBe("CANCELED");
    },
  },
  {
    id: "C-D5-01",
    line: "only legacy transactions",
    run: async (client) => {
      expectRefused(await client.send(client.alice.order({}, { type: 2 })), 400);
    },
  },
  {
    id: "C-D5-02",
    line: "only with replay protection: v of 27 or 28 is refused",
    run: async (client) => {
      for (const v of [27, 28]) {
        const signed = recoded(client.alice.limit(0, "1700", "1"), (fields) => {
          fields[6] = Uint8Array.of(v);
        });
        expectRefused(await client.send(signed), 400);
      }
    },
  },
  {
    id: "C-D5-03",
    line: "a gas limit below 21000 is refused",
    run: async (client) => {
      expectRefused(await client.send(client.alice.order({}, { gasLimit: 20_999 })), 400);
      expectTaken(await client.send(client.alice.order({}, { gasLimit: 21_000 })));
    },
  },
  {
    id: "C-D5-04",
    line: "a high s, or r or s out of range, is refused",
    run: async (client) => {
      const signed = client.alice.limit(0, "1700", "1");
      const changes: ((fields: Uint8Array[]) => void)[] = [
        (fields) => {
          fields[8] = bytesOf(N - big(fields[8]));
          // The other recovery bit belongs to the other s.
          const v = big(fields[6]);
          const other = v % 2n === 1n ? v + 1n : v - 1n;
          fields[6] = Uint8Array.from(Buffer.from(other.toString(16).padStart(4, "0"), "hex"));
        },
        (fields) => {
          fields[7] = new Uint8Array();
        },
        (fields) => {
          fields[8] = bytesOf(N);
        },
        (fields) => {
          fields[7] = bytesOf(N + 1n);
        },
      ];
      for (const change of changes) {
        expectRefused(await client.send(recoded(signed, change)), 400);
      }
      const same = recoded(signed, () => undefined);
      expect(same.body.tx).toBe(signed.body.tx);
      expectTaken(await client.send(same));
    },
  },
  {
    id: "C-D5-05",
    line: "a command byte that is unknown is refused",
    run: async (client) => {
      for (const byte of [0x00, 0x03, 0x20, 0x26, 0x7b, 0xff]) {
        expectRefused(await client.send(client.alice.order({}, { byte })), 400);
      }
    },
  },
  {
    id: "C-D5-06",
    line: "fields with leading zeros, too many or too few, or bytes behind the end are refused",
    run: async (client) => {
      const signed = client.alice.limit(0, "1700", "1");
      for (const change of [
        (fields: Uint8Array[]) => fields.splice(0, 1, Uint8Array.of(0, ...(fields[0] ?? []))),
        (fields: Uint8Array[]) => fields.splice(1, 1, Uint8Array.of(0)),
        (fields: Uint8Array[]) => fields.pop(),
        (fields: Uint8Array[]) => fields.push(new Uint8Array()),
      ]) {
        expectRefused(await client.send(recoded(signed, change)), 400);
      }
      const tx = `${signed.body.tx}00`;
      expectRefused(await client.send({ ...signed, body: { tx } }), 400);
    },
  },
  {
    id: "C-D6-01",
    line: "a time nonce is taken within 60 s of the venue's clock, either way",
    run: async (client) => {
      const { alice } = client;
      const now = client.nowMs();
      for (const [off, status] of [
        [60_000, 200],
        [-60_000, 200],
        [60_001, 400],
        [-60_001, 400],
      ] as const) {
        const sent = await client.send(alice.order({ quantity: "0.1" }, { nonce: now + off }));
        expect([off, sent.status]).toEqual([off, status]);
      }
    },
  },
  {
    id: "C-D6-02",
    line: "a time nonce that the signer has used is 409; another signer may use it",
    run: async (client) => {
      const { alice, bob } = client;
      const nonce = client.nowMs();
      expectTaken(await client.send(alice.order({ quantity: "0.1" }, { nonce })));
      expectRefused(await client.send(alice.order({ quantity: "0.2" }, { nonce })), 409);
      expectTaken(await client.send(bob.order({ quantity: "0.1" }, { nonce })));
    },
  },
  {
    id: "C-D6-03",
    line: "a sequential nonce counts those used; a gap is 400, a used one 409",
    run: async (client) => {
      const { alice } = client;
      const send = async (nonce: number, quantity: string) =>
        (await client.send(alice.order({ quantity }, { nonce }))).status;
      expect(await send(1, "0.1")).toBe(400);
      expect(await send(0, "0.1")).toBe(200);
      expect(await send(0, "0.2")).toBe(409);
      expect(await send(2, "0.1")).toBe(400);
      // Time nonces do not count.
      await take(client, alice.limit(0, "1700", "0.1"));
      expect(await send(1, "0.1")).toBe(200);
    },
  },
  {
    id: "C-D6-04",
    line: "10^12 and more is a time nonce",
    run: async (client) => {
      const reply = await client.send(client.alice.order({}, { nonce: 1e12 }));
      expectRefused(reply, 400);
      expect(reply.body["errMsg"]).toMatch(/time nonce/i);
      const below = await client.send(client.alice.order({}, { nonce: 1e12 - 1 }));
      expectRefused(below, 400);
      expect(below.body["errMsg"]).not.toMatch(/time nonce/i);
    },
  },
  {
    id: "C-D6-05",
    line: "the same bytes again are answered as the first time and do nothing more",
    run: async (client) => {
      const { alice } = client;
      const signed = alice.limit(0, "1700", "1");
      for (let at = 0; at < 3; at += 1) expectTaken(await client.send(signed));
      expect(await openOrders(client, alice.address)).toHaveLength(1);
      expect(await money(client, alice, "2")).toEqual(["248300", "1700"]);
    },
  },
  {
    id: "C-D6-06",
    line: "whatever their age: the replay is looked for before the nonce's window",
    run: async (client) => {
      const signed = client.alice.limit(0, "1700", "1");
      expectTaken(await client.send(signed));
      client.advance(3_600_000);
      expectTaken(await client.send(signed));
    },
  },
  {
    id: "C-D6-07",
    line: "anything but 200 uses no nonce",
    run: async (client) => {
      const { alice } = client;
      const nonce = client.nowMs();
      const unknown = `0x${"11".repeat(32)}`;
      expectRefused(await client.send(alice.cancel(unknown, { nonce })), 404);
      expectTaken(await client.send(alice.order({}, { nonce })));
      expectRefused(await client.send(alice.cancel(unknown, { nonce: 0 })), 404);
      expectTaken(await client.send(alice.order({}, { nonce: 0 })));
    },
  },
  {
    id: "C-D6-08",
    line: "whether a session is applied is asked after nonce and replay",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 100;
      expect((await client.send(alice.session(1, session, expiry))).status).toBe(200);
      const signed = sessionOrder(client);
      expectTaken(await client.send(signed));
      client.advance(200_000);
      // The order was taken while the session was applied.
      expectTaken(await client.send(signed));
      expectRefused(await client.send(sessionOrder(client)), 401);
    },
  },
  {
    id: "C-D7-01",
    line: "a stranger's signature is 401, whatever the command",
    run: async (client) => {
      const { alice, bob } = client;
      const owner = alice.address;
      const id = await take(client, alice.limit(0, "1700", "1"));
      for (const signed of [
        bob.order({}, { owner }),
        bob.cancel(id, { owner }),
        bob.sign("cancelAll", {}, { owner }),
        bob.modify(id, { newPrice: "1" }, { owner }),
      ]) {
        expectRefused(await client.send(signed), 401);
      }
      expect((await orderOf(client, id))["status"]).toBe("NEW");
    },
  },
  {
    id: "C-D7-02",
    line: "an applied session wallet may place, cancel, modify and cancel all",
    run: async (client) => {
      const { alice, session } = client;
      const owner = { owner: alice.address };
      await applied(client);
      const order = session.order({ price: "1700" }, owner);
      expectTaken(await client.send(order));
      const modify = session.modify(order.hash, { newPrice: "1710" }, owner);
      expectTaken(await client.send(modify));
      expectTaken(await client.send(session.cancel(modify.hash, owner)));
      expectTaken(await client.send(session.sign("cancelAll", {}, owner)));
    },
  },
  {
    id: "C-D7-04",
    line: "a session command is signed by the owner or by the session wallet itself",
    run: async (client) => {
      const { alice, bob, session } = client;
      const expiry = client.nowSec() + 1000;
      const by = (wallet: typeof alice, type: 1 | 2 | 3) =>
        client.send(alice.session(type, session, expiry, { by: wallet }));
      expect((await by(session, 1)).status).toBe(200);
      expect((await by(alice, 2)).status).toBe(200);
      expectRefused(await by(bob, 2), 401);
      expect((await by(session, 3)).status).toBe(200);
    },
  },
  {
    id: "C-D7-05",
    line: "its l1signature must be l1owner's; a session cannot speak for another one",
    run: async (client) => {
      const { alice, bob, session } = client;
      const expiry = client.nowSec() + 1000;
      const typed = { by: session };
      expectRefused(await client.send(alice.session(1, session, expiry, { typed })), 401);
      await applied(client);
      // The session key renews itself with its own signature in the owner's place.
      const renewal = alice.session(2, session, expiry + 1e6, { by: session, typed });
      expectRefused(await client.send(renewal), 401);
      expectRefused(await client.send(alice.session(1, bob, expiry, { by: session })), 401);
    },
  },
  {
    id: "C-D7-06",
    line: "a session that has ended may nothing: 401",
    run: async (client) => {
      const { alice } = client;
      expectRefused(await client.send(sessionOrder(client)), 401);
      await applied(client);
      expectTaken(await client.send(sessionOrder(client)));
      client.advance(86_400_000);
      expectRefused(await client.send(sessionOrder(client)), 401);
      expect(await openOrders(client, alice.address)).toHaveLength(1);
    },
  },
  {
    id: "C-D7-08",
    line: "an applied session wallet may place stop orders",
    run: async (client) => {
      const { alice, bob, session } = client;
      await applied(client);
      await take(client, alice.limit(1, "1800", "1"));
      await take(client, bob.limit(0, "1800", "1"));
      const context = {
        baseToken: "1",
        quoteToken: "2",
        stopPrice: "1700",
        price: "0",
        quantity: "1",
        side: 1,
        orderType: 1,
        orderMode: 0,
      };
      expectTaken(await client.send(session.sign("stop", context, { owner: alice.address })));
    },
  },
  {
    id: "C-D8-01",
    line: "0x02 has l1owner, to and value, and moves the native token, 1",
    run: async (client) => {
      const { alice, bob } = client;
      await take(client, alice.sign("transfer", { to: bob.address, value: "2.5" }));
      expect(await money(client, bob, "1")).toEqual(["102.5", "0"]);
      for (const bad of [
        { to: bob.address },
        { value: "1" },
        { to: bob.address, value: 1 },
        { to: bob.address, value: "1", token: "1" },
      ]) {
        expectRefused(await client.send(alice.sign("transfer", bad)), 400);
      }
    },
  },
  {
    id: "C-D9-01",
    line: "withdrawals are byte 0x12 with l1owner, to, token and value; on in the paper venue",
    run: async (client) => {
      const { alice } = client;
      const events = await watchUser(client, alice.address);
      const context = { to: alice.address, token: "2", value: "5" };
      await take(client, alice.sign("withdraw", context));
      expect(await events()).toMatchObject([{ eventType: "WITHDRAW", amount: "5" }]);
      expect(await money(client, alice, "2")).toEqual(["249995", "0"]);
      for (const name of Object.keys(context)) {
        const bad = { ...context, [name]: undefined };
        expectRefused(await client.send(alice.sign("withdraw", bad)), 400);
      }
    },
  },
  {
    id: "C-D10-01",
    line: "a command at another command's endpoint is 400",
    run: async (client) => {
      const { alice } = client;
      const path = "/api/v1/order/cancel";
      expectRefused(await client.send(alice.order({}, { path })), 400);
      expectRefused(await client.send(alice.sign("cancelAll", {}, { path })), 400);
      const order = "/api/v1/order";
      expectRefused(await client.send(alice.sign("cancelAll", {}, { path: order })), 400);
    },
  },
  {
    id: "C-D10-02",
    line: "session endpoints take their own type only",
    run: async (client) => {
      const { alice, session } = client;
      const expiry = client.nowSec() + 1000;
      const root = "/api/v1/wallet/session";
      for (const [type, path] of [
        [1, `${root}/update`],
        [2, root],
        [3, `${root}/update`],
        [1, `${root}/delete`],
      ] as const) {
        expectRefused(await client.send(alice.session(type, session, expiry, { path })), 400);
      }
      expect(await sessions(client, alice.address)).toEqual([]);
    },
  },
  {
    id: "C-D10-03",
    line: "0x02 and 0x11 share one endpoint; the withdrawal's byte does not belong there",
    run: async (client) => {
      const { alice, bob } = client;
      const path = "/api/v1/wallet/transfer";
      const context = { to: bob.address, token: "2", value: "1" };
      expectRefused(await client.send(alice.sign("withdraw", context, { path })), 400);
      await take(client, alice.sign("tokenTransfer", context));
      await take(client, alice.sign("transfer", { to: bob.address, value: "1" }));
      const target = `/api/v1/wallet/balance?address=${bob.address}`;
      expect(record(resultOf(await client.get(target)))["blockNumber"]).toBe(2);
    },
  },
];
