import { expect, test } from "vitest";
import { DecisionsHash, decisionLine } from "../../src/backtest/decisions-hash.ts";
import { toHex } from "../../src/base/hex.ts";
import type { CancelCommand, PlaceCommand } from "../../src/domain/command.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { ETH_USDT, NOW, testHash } from "../support/exchange.ts";
import { keccak256 } from "./hand-made.ts";

const place: PlaceCommand = {
  type: "place",
  intent: 1,
  nonce: NOW,
  strategy: "maker",
  marketId: ETH_USDT,
  side: "BUY",
  orderType: "LIMIT",
  orderMode: 0,
  price: 0.00000012,
  quantity: fixed("0.50"),
};
const cancel: CancelCommand = {
  type: "cancel",
  intent: 2,
  nonce: NOW + 1,
  strategy: "maker",
  orderId: testHash(1),
};

test("each command is one line", () => {
  expect(decisionLine(place, testHash(1), NOW)).toBe(
    `${NOW} 1 ${testHash(1)} ${NOW} maker place 1_2 BUY LIMIT 0 0.00000012 0.5\n`,
  );
  expect(decisionLine(cancel, testHash(2), NOW)).toBe(
    `${NOW} 2 ${testHash(2)} ${NOW + 1} maker cancel ${testHash(1)}\n`,
  );
});

test("the line includes stop orders, take profits and stop losses", () => {
  const tpsl = { tpLimit: 0.00000013, slTrigger: 0.00000011, slLimit: undefined };
  expect(decisionLine({ ...place, tpsl }, testHash(1), NOW)).toContain(
    " 0.00000012 0.5 0.00000013 0.00000011 market\n",
  );
  const limited = { ...tpsl, slLimit: 0.0000001 };
  expect(decisionLine({ ...place, tpsl: limited }, testHash(1), NOW)).toMatch(/ 0.0000001\n$/);
  const what = { type: "stop", name: "floor", kind: "stop-loss", stopPrice: 0.1 } as const;
  expect(decisionLine({ ...place, ...what }, testHash(1), NOW)).toBe(
    `${NOW} 1 ${testHash(1)} ${NOW} maker stop 1_2 BUY LIMIT 0 0.00000012 0.5 stop-loss 0.1 floor\n`,
  );
});

test("the hash is a chain over the lines", () => {
  const hash = new DecisionsHash(keccak256);
  expect(hash.text()).toBe("0x");
  hash.add(place, testHash(1), NOW);
  hash.add(cancel, testHash(2), NOW);
  const utf8 = new TextEncoder();
  const first = keccak256(utf8.encode(decisionLine(place, testHash(1), NOW)));
  const second = utf8.encode(decisionLine(cancel, testHash(2), NOW));
  expect(hash.text()).toBe(toHex(keccak256(Uint8Array.of(...first, ...second))));
  expect(hash.count).toBe(2);
});

test("the hash depends on the order and the time of commands", () => {
  const of = (...times: number[]) => {
    const hash = new DecisionsHash(keccak256);
    hash.add(place, testHash(1), (NOW + (times[0] ?? 0)) as typeof NOW);
    hash.add(cancel, testHash(2), (NOW + (times[1] ?? 0)) as typeof NOW);
    return hash.text();
  };
  expect(of(0, 0)).toBe(of(0, 0));
  expect(new Set([of(0, 0), of(0, 1), of(1, 0)]).size).toBe(3);
});
