import { Signature } from "ethers";
import { afterEach, describe, expect, test } from "vitest";
import { list, orderOf, record, take, type VenueClient } from "../conformance/client.ts";
import { memoryTransport } from "../conformance/memory-transport.ts";
import { type OpenClient, openClient } from "../conformance/open-client.ts";
import { print, sessions, transfers, watchUser, withLegs } from "../conformance/scenes.ts";
import type { Signed } from "../conformance/wallet.ts";

/** docs/venue.md, "What else the paper venue had to choose": one test for each choice that has none elsewhere. */

const opened: OpenClient[] = [];
afterEach(async () => {
  for (const client of opened.splice(0)) await client.close();
});

async function open(): Promise<VenueClient> {
  const client = await openClient(memoryTransport());
  opened.push(client);
  return client;
}

const statusOf = async (client: VenueClient, signed: Signed): Promise<number> =>
  (await client.send(signed)).status;

describe("transactions", () => {
  test("repeated bytes get their result at their own endpoint only", async () => {
    const client = await open();
    const signed = client.alice.limit(0, "1800", "1");
    expect(await statusOf(client, signed)).toBe(200);
    expect(await statusOf(client, signed)).toBe(200);
    expect(await statusOf(client, { ...signed, path: "/api/v1/order/cancel" })).toBe(400);
  });

  test("addresses are accepted in any letter case, even with a wrong checksum, and returned in lower case", async () => {
    const client = await open();
    const lower = client.alice.address.toLowerCase();
    const upper = `0x${lower.slice(2).toUpperCase()}`;
    const id = await take(client, client.alice.order({}, { owner: upper }));
    expect((await orderOf(client, id))["accountAddress"]).toBe(lower);
    const found = await client.get(`/api/v1/order/open?address=${upper}`);
    expect(list(found.result)).toHaveLength(1);
  });

  test("a duplicate field is 400 in a context, while in a body the last one counts", async () => {
    const client = await open();
    const { body, path } = client.alice.limit(0, "1800", "1");
    const twice = client.alice.order(
      {},
      {
        text: JSON.stringify({ l1owner: client.alice.address }).replace("{", '{"l1owner":"0x",'),
      },
    );
    expect(await statusOf(client, twice)).toBe(400);
    expect((await client.post(path, `{"tx":"0x00","tx":"${body.tx}","more":1}`)).status).toBe(200);
  });
});

describe("session wallets", () => {
  const create = (client: VenueClient, change = {}) =>
    client.alice.session(1, client.session, client.nowSec() + 1000, change);

  test("l1signature has 65 bytes, a v of 27 or 28 and a low s", async () => {
    const client = await open();
    const good = create(client);
    const other = (signature: string) => create(client, { context: { l1signature: signature } });
    const text = Buffer.from(good.body.tx.slice(2), "hex").toString("latin1");
    const written = /"l1signature":"(0x[0-9a-f]{130})"/.exec(text)?.[1] ?? "";
    const { r, s, v, compactSerialized } = Signature.from(written);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const highS = (order - BigInt(s)).toString(16).padStart(64, "0");
    for (const bad of [
      `${written.slice(0, -2)}${v === 27 ? "00" : "01"}`,
      `0x${r.slice(2)}${highS}${v === 27 ? "1c" : "1b"}`,
      compactSerialized,
      written.slice(2),
    ]) {
      expect(await statusOf(client, other(bad))).toBe(400);
    }
    expect(await statusOf(client, good)).toBe(200);
  });

  test("an owner's signature counts once, even when another signer repeats it", async () => {
    const client = await open();
    const { alice, session } = client;
    const good = create(client);
    expect(await statusOf(client, good)).toBe(200);
    const text = Buffer.from(good.body.tx.slice(2), "hex").toString("latin1");
    const context = /\{.*\}/.exec(text)?.[0] ?? "";
    // The session wallet signs what the owner signed, under the same nonce, as a creation and as a deletion.
    for (const [kind, path] of [
      [1, "/api/v1/wallet/session"],
      [3, "/api/v1/wallet/session/delete"],
    ] as const) {
      const again = context.replace('"type":1', `"type":${kind}`);
      const change = { text: again, nonce: good.nonce, path };
      for (const signer of [alice, session]) {
        const signed = signer.sign("session", {}, change);
        if (signed.hash !== good.hash) expect(await statusOf(client, signed)).toBe(409);
      }
    }
    expect(await sessions(client, alice.address)).toMatchObject([{ applied: true }]);
  });

  test("a deleted session cannot be updated or deleted (400), an expired one can", async () => {
    const client = await open();
    const { alice, session } = client;
    const later = () => client.nowSec() + 1000;
    expect(await statusOf(client, create(client))).toBe(200);
    client.advance(1_001_000);
    expect(await statusOf(client, alice.session(2, session, later()))).toBe(200);
    expect(await sessions(client, alice.address)).toMatchObject([{ applied: true }]);
    expect(await statusOf(client, alice.session(3, session, later()))).toBe(200);
    expect(await statusOf(client, alice.session(2, session, later()))).toBe(400);
    expect(await statusOf(client, alice.session(3, session, later()))).toBe(400);
  });

  test("a wallet may serve several owners, and an owner may name its own address", async () => {
    const client = await open();
    const { alice, bob, session } = client;
    for (const owner of [alice, bob]) {
      expect(await statusOf(client, owner.session(1, session, client.nowSec() + 1000))).toBe(200);
      const order = session.order({ price: "1" }, { owner: owner.address });
      expect(await statusOf(client, order)).toBe(200);
    }
    expect(await statusOf(client, alice.session(1, alice, client.nowSec() + 1000))).toBe(200);
  });

  test("an owner has at most 256 applied sessions, and a name at most 256 characters", async () => {
    const client = await open();
    const { alice } = client;
    const named = (name: unknown) => create(client, { body: { name } });
    for (const bad of [null, 1, {}, "x".repeat(257)]) {
      expect(await statusOf(client, named(bad))).toBe(400);
    }
    expect(await statusOf(client, named("x".repeat(256)))).toBe(200);
    const wallet = (at: number) => ({
      ...client.session,
      address: `0x${at.toString(16).padStart(40, "0")}`,
    });
    const make = (at: number) =>
      statusOf(client, alice.session(1, wallet(at), client.nowSec() + 1000));
    for (let at = 1; at < 256; at += 1) expect(await make(at)).toBe(200);
    expect(await make(256)).toBe(400);
    client.advance(1_001_000);
    expect(await make(256)).toBe(200);
    expect(await sessions(client, alice.address)).toHaveLength(256);
  });
});

describe("orders", () => {
  test("an order that trades at once is NEW first, and its TRADE precedes the resting order's", async () => {
    const client = await open();
    const { alice, bob } = client;
    const stream = await client.connect();
    await stream.subscribe(`userEvent@${alice.address}`, `userEvent@${bob.address}`);
    const rests = await take(client, alice.limit(1, "1800", "1"));
    const takes = await take(client, bob.limit(0, "1800", "1"));
    const frames = (await stream.frames()).slice(1);
    const events = frames.map((frame) => record(record(frame["params"])["result"]));
    expect(events.map(({ eventType, orderId }) => [eventType, orderId])).toEqual([
      ["NEW", rests],
      ["NEW", takes],
      ["TRADE", takes],
      ["TRADE", rests],
    ]);
  });

  test("cancel/all cancels stop orders and legs in all markets", async () => {
    const client = await open();
    const { alice } = client;
    await print(client, "1800");
    const ids = [
      ...(await withLegs(client)),
      await take(client, alice.stop(1, "1700", "1")),
      await take(client, alice.limit(0, "50000", "0.1", { baseToken: "3" })),
    ];
    await take(client, alice.sign("cancelAll", {}));
    for (const id of ids) expect((await orderOf(client, id))["status"]).toBe("CANCELED");
    await take(client, alice.sign("cancelAll", {}));
  });

  test("a replaced stop order keeps trigger, type and direction, wherever the market has moved", async () => {
    const client = await open();
    const { alice } = client;
    await print(client, "1800");
    const first = await take(client, alice.stop(0, "1900", "1", { price: "1950" }));
    // A new stop with this price would be on the other side of the market.
    await print(client, "1890");
    const second = await take(client, alice.modify(first, { newPrice: "1960", newQty: "2" }));
    expect(await orderOf(client, second)).toMatchObject({
      orderType: "STOP_LOSS_LIMIT",
      triggerPrice: "1900",
      isTriggered: false,
      price: "1960",
      origQty: "2",
      txHash: second,
    });
    await print(client, "1900");
    expect(await orderOf(client, second)).toMatchObject({ isTriggered: true, status: "NEW" });
    const third = await take(client, alice.modify(second, { newPrice: "1500" }));
    expect(await orderOf(client, third)).toMatchObject({
      orderType: "STOP_LOSS_LIMIT",
      isTriggered: true,
      status: "NEW",
      origQty: "2",
    });
  });
});

describe("money, reads, streams", () => {
  test("a transfer to oneself is one record and two events, and a withdrawal is no transfer record", async () => {
    const client = await open();
    const { alice } = client;
    const events = await watchUser(client, alice.address);
    await take(client, alice.sign("transfer", { to: alice.address, value: "1" }));
    await take(client, alice.sign("withdraw", { to: alice.address, token: "1", value: "1" }));
    expect(await transfers(client, alice.address)).toHaveLength(1);
    expect((await events()).map(({ eventType }) => eventType)).toEqual([
      "TRANSFER",
      "TRANSFER",
      "WITHDRAW",
    ]);
  });

  test("unknown parameters are ignored, duplicate or empty ones are 400", async () => {
    const client = await open();
    const target = `/api/v1/order/open?address=${client.alice.address}`;
    const status = async (query: string) => (await client.get(target + query)).status;
    expect(await status("&colour=red&__proto__=1")).toBe(200);
    expect(await status("&limit=1&limit=1")).toBe(400);
    for (const name of ["limit", "from", "to", "marketId"]) {
      expect([name, await status(`&${name}=`)]).toEqual([name, 400]);
    }
    expect(await status("&marketId=12")).toBe(400);
    expect(await status("&marketId=7_8")).toBe(404);
    expect(await status(`&from=${client.nowMs() - 1000}&to=0`)).toBe(400);
  });

  test("an unlisted market has no ticker but a readable book, and HEAD and OPTIONS are 405", async () => {
    const client = await open();
    expect((await client.get("/api/v1/market/ticker?marketId=1_3")).status).toBe(404);
    expect((await client.get("/api/v1/market/depth?marketId=1_3")).status).toBe(200);
    for (const method of ["HEAD", "OPTIONS", "PUT"]) {
      const reply = await client.request(method, "/api/v1/order");
      expect([reply.status, reply.headers["allow"]]).toEqual([405, "GET, POST"]);
    }
    const candles = await client.request("POST", "/market/candles", "{}");
    expect([candles.status, Object.keys(candles.body)]).toEqual([
      405,
      ["success", "errorCode", "message"],
    ]);
  });

  test("a plain request for the streams' path is 400 and says why", async () => {
    const client = await open();
    const reply = await client.get("/ws");
    expect([reply.status, reply.body["errMsg"]]).toEqual([400, expect.stringMatching(/WebSocket/)]);
  });

  test("a new subscriber of a quiet market gets its snapshot within 500 ms and its ticker within a second", async () => {
    const client = await open();
    const stream = await client.connect();
    await stream.subscribe("depthSnapshot@1_2");
    client.advance(2000);
    // Before the first depth event there is no id for it.
    expect(await stream.pushes("depthSnapshot@1_2")).toEqual([]);
    await take(client, client.alice.limit(0, "1800", "1"));
    client.advance(60_000);
    const late = await client.connect();
    await late.subscribe("depthSnapshot@1_2", "ticker", "trade@1_2");
    client.advance(500);
    expect(await late.pushes("depthSnapshot@1_2")).toHaveLength(1);
    client.advance(500);
    expect(await late.pushes("ticker")).toHaveLength(1);
    expect(await late.call({ method: "subscribe", params: { channels: [] }, id: 9 })).toEqual({
      result: "ok",
      id: 9,
    });
  });
});
