import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { tokenId, type Address } from "../../src/domain/ids.ts";
import { checksumAddress } from "../../src/spec/checksum-address.ts";
import { decodeServerFrame } from "../../src/spec/stream.ts";
import type { Layer1Outcome } from "../../src/exchange/withdrawals.ts";
import { START_MS, strangeHash, testCrypto, type TestTrader, testVenue } from "../support/venue.ts";

const USDT = tokenId("2");
const ok = (result: unknown) => ({ code: 200, errMsg: "OK", result });
const path = (name: string) => `/api/v1/wallet/${name}`;

function transfer(from: TestTrader, to: Address, amount: string, token = USDT) {
  const nonce = from.nextNonce();
  return from.sign({ type: "token-transfer", nonce, to, tokenId: token, value: fixed(amount) });
}

function withdrawal(from: TestTrader, amount: string) {
  const nonce = from.nextNonce();
  const to = "0x00000000000000000000000000000000000000aa" as Address;
  return from.sign({ type: "withdraw", nonce, to, tokenId: USDT, value: fixed(amount) });
}

async function balanceOf(venue: Awaited<ReturnType<typeof testVenue>>, trader: TestTrader) {
  const { body } = await venue.get(`${path("balance")}?address=${trader.address}`);
  return (body as { result: { balances: { tokenId: string; unlocked: string }[] } }).result.balances
    .map((line) => `${line.tokenId}:${line.unlocked}`)
    .join(" ");
}

describe("transfers (§4.1, D8, D10, D12, D34)", () => {
  test("of tokens and of the native token happen at once and are recorded", async () => {
    const venue = await testVenue();
    const { alice, bob, post, get, clock } = venue;
    const tokens = transfer(alice, bob.address, "12.5");
    expect((await post(path("transfer"), tokens)).body).toEqual(ok(tokens.txHash));
    clock.advance(1000);
    const nonce = alice.nextNonce();
    const native = alice.sign({ type: "transfer", nonce, to: bob.address, value: fixed("0.25") });
    expect((await post(path("transfer"), native)).body).toEqual(ok(native.txHash));
    expect(await balanceOf(venue, alice)).toBe("1:99.75 2:249987.5");
    expect(await balanceOf(venue, bob)).toBe("1:100.25 2:250012.5");
    const common = { fromAddress: alice.address, toAddress: bob.address, status: "CONFIRMED" };
    const records = [
      {
        ...common,
        id: 2,
        txType: "TRANSFER",
        tokenId: "1",
        amount: "0.25",
        timestamp: START_MS + 1000,
        hash: native.txHash,
      },
      {
        ...common,
        id: 1,
        txType: "TOKEN_TRANSFER",
        tokenId: "2",
        amount: "12.5",
        timestamp: START_MS,
        hash: tokens.txHash,
      },
    ];
    for (const { address } of [alice, bob]) {
      const list = `${path("transfer")}?address=${address}`;
      expect((await get(list)).body).toEqual(ok(records));
      expect((await get(`${list}&token_id=2`)).body).toEqual(ok(records.slice(1)));
      expect((await get(`${list}&limit=1`)).body).toEqual(ok(records.slice(0, 1)));
      expect((await get(`${list}&from=${START_MS + 1}`)).body).toEqual(ok(records.slice(0, 1)));
      expect((await get(`${list}&to=${START_MS}`)).body).toEqual(ok(records.slice(1)));
      // The limits on time spans of the order lists do not apply (D15), and `to` may lie in the future.
      expect((await get(`${list}&from=0&to=${START_MS * 2}`)).body).toEqual(ok(records));
    }
  });

  test.each([
    ["from above to", "&from=5&to=4"],
    ["from ahead of the clock", `&from=${START_MS + 2001}`],
    ["limit 0", "&limit=0"],
    ["limit 501", "&limit=501"],
    ["a token that is no number", "&token_id=ETH"],
  ])("the list refuses %s", async (_, query) => {
    const { get, alice } = await testVenue();
    const list = `${path("transfer")}?address=${alice.address}`;
    expect((await get(list + query)).body).toMatchObject({ code: 400, result: null });
    expect((await get(`${list}&token_id=9`)).body).toMatchObject({ code: 404, result: null });
  });

  test("above the unlocked amount are 400, of an unknown token 404, and a refused one uses no nonce", async () => {
    const venue = await testVenue();
    const { alice, bob, post } = venue;
    expect((await post(path("transfer"), transfer(alice, bob.address, "250000.1"))).status).toBe(
      400,
    );
    const strange = transfer(alice, bob.address, "1", tokenId("9"));
    expect((await post(path("transfer"), strange)).status).toBe(404);
    expect((await post(path("transfer"), strange)).status).toBe(404);
    const good = transfer(alice, bob.address, "1");
    expect((await post(path("withdraw"), good)).status).toBe(400);
    expect((await post(path("transfer"), good)).status).toBe(200);
    // Sent again, it gets the same result and has no further effect (D6).
    expect((await post(path("transfer"), good)).body).toEqual(ok(good.txHash));
    expect(await balanceOf(venue, bob)).toBe("1:100 2:250001");
  });

  test("of the native token move the configured token; an unknown one is 404", async () => {
    const native = async (document: object) => {
      const { alice, bob, post } = await testVenue(document);
      const nonce = alice.nextNonce();
      const tx = alice.sign({ type: "transfer", nonce, to: bob.address, value: fixed("1000") });
      return (await post(path("transfer"), tx)).status;
    };
    // Alice has 100 of token 1 and 250000 of token 2.
    expect(await native({})).toBe(400);
    expect(await native({ nativeToken: "2" })).toBe(200);
    const others = {
      tokens: [
        { tokenId: "7", symbol: "A" },
        { tokenId: "8", symbol: "B" },
      ],
      markets: [{ base: "7", quote: "8" }],
      accounts: {},
    };
    expect(await native(others)).toBe(404);
  });

  test("cause one event for each party, on its checksummed channel (§6.4)", async () => {
    const { alice, bob, post, server } = await testVenue();
    const socket = server.connect();
    const crypto = await testCrypto();
    const channels = [alice, bob].map(
      ({ address }) => `userEvent@${checksumAddress(address, crypto.keccak256)}`,
    );
    socket.send({ method: "subscribe", params: { channels }, id: 1 });
    socket.drain();
    const tx = transfer(alice, bob.address, "3");
    await post(path("transfer"), tx);
    const frames = socket.drain();
    expect(frames).toEqual(
      [alice, bob].map(({ address }, at) => ({
        method: "subscription",
        params: {
          channel: channels[at],
          result: {
            topic: "ACCOUNT",
            eventType: "TRANSFER",
            eventTime: START_MS,
            blockNumber: 1,
            accountAddress: address,
            txHash: tx.txHash,
            tokenId: "2",
            amount: "3",
            fromAddress: alice.address,
            toAddress: bob.address,
          },
        },
      })),
    );
    for (const frame of frames) {
      expect(decodeServerFrame(JSON.stringify(frame))).toMatchObject({
        ok: true,
        value: { extraFields: 0 },
      });
    }
  });
});

describe("withdrawals (§4.1, D9, D33)", () => {
  const hash = expect.stringMatching(/^0x[0-9a-f]{64}$/);

  test("cause WITHDRAW at acceptance and are executed on layer 1 after the delay, each as a block", async () => {
    const venue = await testVenue({ withdrawals: { delay: "5s" } });
    const { alice, post, server, clock } = venue;
    const socket = server.connect();
    socket.send({
      method: "subscribe",
      params: { channels: [`userEvent@${alice.address}`] },
      id: 1,
    });
    socket.drain();
    const tx = withdrawal(alice, "100.5");
    expect((await post(path("withdraw"), tx)).body).toEqual(ok(tx.txHash));
    expect(await balanceOf(venue, alice)).toBe("1:100 2:249899.5");
    const [frame, ...more] = socket.drain() as { params: { result: unknown } }[];
    expect(more).toEqual([]);
    expect(frame?.params.result).toEqual({
      topic: "ACCOUNT",
      eventType: "WITHDRAW",
      eventTime: START_MS,
      blockNumber: 1,
      accountAddress: alice.address,
      txHash: tx.txHash,
      tokenId: "2",
      amount: "100.5",
    });
    const retry = () => post(path("withdraw/retry"), { txHash: tx.txHash });
    clock.advance(4999);
    expect((await retry()).body).toMatchObject({ code: 400, result: null });
    clock.advance(1);
    expect(venue.venue.exchange.blockNumber).toBe(2);
    expect((await retry()).body).toEqual(ok(hash));
    expect(venue.venue.exchange.blockNumber).toBe(2);
  });

  test("are retried with a result that depends on layer 1", async () => {
    const outcomes: Layer1Outcome[] = ["failed", "executed-elsewhere", "executed"];
    const venue = await testVenue({}, undefined, { layer1: () => outcomes.shift() ?? "executed" });
    const { alice, post, clock } = venue;
    const txs = ["1", "2", "3"].map((amount) => withdrawal(alice, amount));
    for (const tx of txs) await post(path("withdraw"), tx);
    clock.advance(2000);
    expect(venue.venue.exchange.blockNumber).toBe(6);
    const responses: unknown[] = [];
    for (const { txHash } of [...txs, ...txs]) {
      const upper = `0x${txHash.slice(2).toUpperCase()}`;
      responses.push((await post(path("withdraw/retry"), { txHash: upper })).body);
    }
    expect(responses.slice(0, 3)).toEqual([ok(hash), ok("0x0"), ok(hash)]);
    expect(responses.slice(3)).toEqual(responses.slice(0, 3));
    expect(venue.venue.exchange.blockNumber).toBe(7);
  });

  test("with an unknown hash are 404, and with a malformed hash 400", async () => {
    const { post } = await testVenue();
    const retry = (txHash: unknown) => post(path("withdraw/retry"), { txHash });
    expect((await retry(strangeHash(3))).status).toBe(404);
    for (const wrong of ["0x0", "", 7, undefined]) expect((await retry(wrong)).status).toBe(400);
  });

  test("use the configured command byte (D9)", async () => {
    const { alice, post } = await testVenue({ withdrawals: { byte: 0x13 } });
    const response = await post(path("withdraw"), withdrawal(alice, "1"));
    expect(response.body).toMatchObject({ code: 400, errMsg: expect.stringContaining("0x12") });
  });

  test("leave no timer when the venue closes", async () => {
    const { alice, post, venue, clock } = await testVenue();
    await post(path("withdraw"), withdrawal(alice, "1"));
    await venue.close();
    clock.advance(10_000);
    expect(venue.exchange.blockNumber).toBe(1);
  });
});
