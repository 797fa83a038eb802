import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { addFixed, fixed, subFixed, type Fixed } from "../../src/domain/fixed.ts";
import { marketId, type OrderId } from "../../src/domain/ids.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { CommandSigner } from "../../src/spec/sign-command.ts";
import { isSoak } from "../support/soak.ts";
import { Touchline, TouchlineHere } from "../support/touchline-process.ts";

const TRADERS = 4;
/** How often the venue is killed. */
const KILLS = isSoak ? 4 : 1;
const MONEY = { "1": "1000", "2": "1000000" } as const;

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

interface Trade {
  readonly tradeId: string;
  readonly orderId: string;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly quantity: string;
  readonly fee: string;
  readonly isMaker: boolean;
}
interface Order {
  readonly orderId: string;
  readonly status: string;
  readonly executedQty: string;
}
interface Balance {
  readonly tokenId: string;
  readonly locked: string;
  readonly unlocked: string;
}

describe("the paper venue's dataDir", () => {
  it("holds every acknowledged command after kill -9 under load, and no command by half", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-kill-"));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const crypto = await loadCrypto();
    const signers = Array.from({ length: TRADERS }, (_, at) =>
      crypto.signer(new Uint8Array(32).fill(at + 1)),
    );
    const accounts = signers.map(
      ({ address }) => `  "${address}": { "1": "${MONEY["1"]}", "2": "${MONEY["2"]}" }`,
    );
    const config = path.join(folder, "venue.yaml");
    writeFileSync(config, `dataDir: ./data\nflow: none\naccounts:\n${accounts.join("\n")}\n`);

    const random = new Prng(11);
    const acknowledged = new Map<OrderId, number>();
    const inFlight = new Map<OrderId, { readonly tx: string; readonly owner: number }>();
    const nonces = signers.map(() => 0);
    let depthId = 0;
    let blockNumber = 0;

    for (let round = 0; round <= KILLS; round += 1) {
      const words = ["venue", config, "--port", "0"];
      const venue = round === KILLS ? new TouchlineHere(words) : new Touchline(words);
      cleanups.push(() => (venue instanceof Touchline ? venue.kill("SIGKILL") : venue.stop()));
      const rest = String((await venue.line("listening"))["rest"]);
      const get = async <Result>(target: string): Promise<Result> => {
        const response = await fetch(`${rest}${target}`);
        return ((await response.json()) as { result: Result }).result;
      };
      const post = async (tx: string) => {
        const response = await fetch(`${rest}/api/v1/order`, {
          method: "POST",
          body: JSON.stringify({ tx }),
        });
        return { status: response.status, body: (await response.json()) as { errMsg: string } };
      };

      // What was in flight at the kill: taken whole or not at all, and the same bytes may be sent again.
      for (const [orderId, { tx, owner }] of inFlight) {
        const response = await fetch(`${rest}/api/v1/order/${orderId}`);
        const decoded = await post(tx);
        expect(response.status, orderId).toBeOneOf([200, 404]);
        if (response.status === 200) expect(decoded.status, orderId).toBe(200);
        if (decoded.status === 200) acknowledged.set(orderId, owner);
      }
      inFlight.clear();
      // The lists are read up to the millisecond before: what was just sent again has to be older.
      await pause(5);
      await expectConsistent(
        get,
        acknowledged,
        signers.map(({ address }) => address),
      );
      const book = await get<{ lastUpdatedId: number }>("/api/v1/market/depth?marketId=1_2");
      const balance = await get<{ blockNumber: number }>(
        `/api/v1/wallet/balance?address=${signers[0]?.address}`,
      );
      expect(book.lastUpdatedId).toBeGreaterThanOrEqual(depthId);
      expect(balance.blockNumber).toBeGreaterThanOrEqual(blockNumber);
      if (venue instanceof TouchlineHere) {
        // Nonces are used up: the same ones with other orders are refused.
        for (const [owner, signer] of signers.entries()) {
          const commands = new CommandSigner({
            owner: signer.address,
            chainId: 1001,
            crypto,
            signer,
          });
          const { bytesHex } = commands.sign({ type: "cancel-all", nonce: 0 });
          const decoded = await fetch(`${rest}/api/v1/order/cancel/all`, {
            method: "POST",
            body: JSON.stringify({ tx: bytesHex }),
          });
          expect([owner, decoded.status]).toEqual([owner, 409]);
        }
        venue.stop();
        expect(await venue.exit).toBe(0);
        return;
      }

      // Each trader sends one order after the other, with sequential nonces, until the venue is killed.
      const load = { isKilled: false };
      const stream = signers.map(async (signer, owner) => {
        const commands = new CommandSigner({
          owner: signer.address,
          chainId: 1001,
          crypto,
          signer,
        });
        while (!load.isKilled) {
          const { bytesHex: tx, txHash } = commands.sign({
            type: "place",
            nonce: nonces[owner] ?? 0,
            marketId: marketId("1", "2"),
            side: random.chance(0.5) ? "BUY" : "SELL",
            orderType: "LIMIT",
            orderMode: 0,
            price: random.int(990, 1010),
            quantity: fixed("0.01"),
          });
          inFlight.set(txHash, { tx, owner });
          try {
            const { status, body } = await post(tx);
            expect([status, body.errMsg]).toEqual([200, "OK"]);
            acknowledged.set(txHash, owner);
            inFlight.delete(txHash);
            nonces[owner] = (nonces[owner] ?? 0) + 1;
          } catch (thrown) {
            if (!load.isKilled) throw thrown;
            // The nonce is used if the order was taken: it is sent again after the restart.
            nonces[owner] = (nonces[owner] ?? 0) + 1;
            return;
          }
        }
      });
      const enough = acknowledged.size + 300;
      while (acknowledged.size < enough) await new Promise((resolve) => setTimeout(resolve, 5));
      depthId = (await get<{ lastUpdatedId: number }>("/api/v1/market/depth?marketId=1_2"))
        .lastUpdatedId;
      blockNumber = (
        await get<{ blockNumber: number }>(`/api/v1/wallet/balance?address=${signers[0]?.address}`)
      ).blockNumber;
      load.isKilled = true;
      venue.kill("SIGKILL");
      await Promise.all(stream);
      await venue.exit;
    }
  });
});

/** Every acknowledged order is there; orders, executions and balances tell the same story, to the last digit. */
async function expectConsistent(
  get: <Result>(target: string) => Promise<Result>,
  acknowledged: ReadonlyMap<OrderId, number>,
  owners: readonly string[],
): Promise<void> {
  const executed = new Map<string, Fixed>();
  const sides = new Map<string, number>();
  const fees = { "1": fixed("0"), "2": fixed("0") };
  const held = { "1": fixed("0"), "2": fixed("0") };
  for (const owner of owners) {
    const expected = { "1": fixed(MONEY["1"]), "2": fixed(MONEY["2"]) };
    for (const trade of await pages<Trade>(get, "/api/v1/order/trade", owner)) {
      const quantity = fixed(trade.quantity);
      const quote = (quantity * BigInt(trade.price)) as Fixed;
      const fee = fixed(trade.fee);
      executed.set(trade.orderId, addFixed(executed.get(trade.orderId) ?? fixed("0"), quantity));
      sides.set(trade.tradeId, (sides.get(trade.tradeId) ?? 0) + (trade.isMaker ? 1 : 10));
      if (trade.side === "BUY") {
        expected["1"] = subFixed(addFixed(expected["1"], quantity), fee);
        expected["2"] = subFixed(expected["2"], quote);
        fees["1"] = addFixed(fees["1"], fee);
      } else {
        expected["1"] = subFixed(expected["1"], quantity);
        expected["2"] = subFixed(addFixed(expected["2"], quote), fee);
        fees["2"] = addFixed(fees["2"], fee);
      }
    }
    const { balances } = await get<{ balances: Balance[] }>(
      `/api/v1/wallet/balance?address=${owner}`,
    );
    for (const { tokenId, locked, unlocked } of balances) {
      const token = tokenId as "1" | "2";
      const total = addFixed(fixed(locked), fixed(unlocked));
      expect([owner, token, total]).toEqual([owner, token, expected[token]]);
      held[token] = addFixed(held[token], total);
    }
  }
  // A trade has a maker and a taker, or it is not there.
  expect([...sides.values()].every((each) => each === 11)).toBe(true);
  for (const token of ["1", "2"] as const) {
    expect(addFixed(held[token], fees[token])).toBe(
      fixed(String(Number(MONEY[token]) * owners.length)),
    );
  }
  const listed = new Map<string, Order>();
  for (const owner of owners) {
    for (const path of ["/api/v1/order", "/api/v1/order/open"]) {
      for (const order of await pages<Order>(get, path, owner)) listed.set(order.orderId, order);
    }
  }
  for (const orderId of acknowledged.keys()) {
    const order = listed.get(orderId);
    expect([orderId, order?.status]).toEqual([
      orderId,
      expect.stringMatching(/^(NEW|PARTIALLY_FILLED|FILLED|CANCELED)$/),
    ]);
    expect(fixed(order?.executedQty ?? "0")).toBe(executed.get(orderId) ?? fixed("0"));
  }
}

/** A whole list: the newest page, then what is older than its oldest. */
async function pages<Row extends Order | Trade>(
  get: <Result>(target: string) => Promise<Result>,
  list: string,
  owner: string,
): Promise<Row[]> {
  const rows = new Map<string, Row>();
  let to = Date.now() - 1;
  for (;;) {
    const window = `from=${to - 3_600_000}&to=${to}&limit=500`;
    const page = await get<(Row & { id: number; createdAt: number })[]>(
      `${list}?address=${owner}&${window}`,
    );
    const before = rows.size;
    for (const row of page) rows.set(String(row.id), row);
    if (page.length < 500 || rows.size === before) return [...rows.values()];
    to = page.at(-1)?.createdAt ?? to;
  }
}
