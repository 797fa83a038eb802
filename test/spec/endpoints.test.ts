import { describe, expect, it } from "vitest";
import { assert } from "../../src/base/assert.ts";
import {
  contingencyTypes,
  orderStatuses,
  orderTypes,
  otoLegTypes,
} from "../../src/domain/order.ts";
import { commands } from "../../src/spec/commands.ts";
import type { Endpoint } from "../../src/spec/endpoint.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { problemOf } from "../../src/spec/problem.ts";
import { openOrder, optionalOrderFields, results } from "./samples.ts";

const all: readonly (readonly [string, Endpoint])[] = Object.entries(endpoints);
const address = openOrder.accountAddress;
const hash = openOrder.orderId;

/** §4, as written there. */
const paths: Readonly<Record<string, string>> = {
  time: "GET /time",
  market: "GET /api/v1/market",
  ticker: "GET /api/v1/market/ticker",
  tokens: "GET /api/v1/market/tokens",
  trades: "GET /api/v1/market/trades",
  depth: "GET /api/v1/market/depth",
  candles: "GET /market/candles",
  balance: "GET /api/v1/wallet/balance",
  withdraw: "POST /api/v1/wallet/withdraw",
  "withdraw-retry": "POST /api/v1/wallet/withdraw/retry",
  "session-list": "GET /api/v1/wallet/session",
  "session-create": "POST /api/v1/wallet/session",
  "session-update": "POST /api/v1/wallet/session/update",
  "session-delete": "POST /api/v1/wallet/session/delete",
  transfer: "POST /api/v1/wallet/transfer",
  transfers: "GET /api/v1/wallet/transfer",
  "order-open": "GET /api/v1/order/open",
  "order-history": "GET /api/v1/order",
  "order-show": "GET /api/v1/order/{orderId}",
  "order-trade": "GET /api/v1/order/trade",
  order: "POST /api/v1/order",
  "order-cancel": "POST /api/v1/order/cancel",
  "order-cancel-all": "POST /api/v1/order/cancel/all",
  "order-modify": "POST /api/v1/order/modify",
  "order-trigger": "POST /api/v1/order/trigger",
};

describe("the table of endpoints", () => {
  it("lists each endpoint under its name, with method and path of §4", () => {
    const table = Object.fromEntries(all.map(([name, e]) => [name, `${e.method} ${e.path}`]));
    expect(table).toEqual(paths);
    for (const [name, endpoint] of all) expect(endpoint.name).toBe(name);
  });

  it("routes every command to an existing path (D10)", () => {
    const signed = all.filter(([, { body }]) => body?.safeParse({ tx: "0x01" }).success);
    const posts = new Set(signed.map(([, { path }]) => path));
    expect(new Set(Object.values(commands).flatMap((command) => command.paths))).toEqual(posts);
    expect(new Set(Object.values(commands).map((command) => command.byte)).size).toBe(
      Object.keys(commands).length,
    );
    for (const [name, command] of Object.entries(commands)) expect(command.name).toBe(name);
  });
});

/** Every object in `value`, with the way to it. */
function objectsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, item]) => objectsIn(item, [...path, name]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

function at(value: unknown, path: readonly string[]): Record<string, unknown> {
  let here = value;
  for (const name of path) here = (here as Record<string, unknown>)[name];
  return here as Record<string, unknown>;
}

describe.each(all)("the result of %s", (name, endpoint) => {
  const sample = results[name];

  it("reads the sample, and tolerates unknown fields", () => {
    expect(endpoint.result.parse(sample)).toEqual(sample);
    for (const path of objectsIn(sample)) {
      const more = structuredClone(sample);
      at(more, path)["addedLater"] = { any: "thing" };
      expect(endpoint.result.parse(more)).toEqual(sample);
    }
  });

  it("names the field that is missing or of another type", () => {
    for (const wrong of [undefined, null, { not: "it" }]) {
      // An endpoint without a result ignores any value there.
      const isIgnored = sample === undefined;
      expect(endpoint.result.safeParse(wrong).success, JSON.stringify(wrong)).toBe(isIgnored);
    }
    for (const path of objectsIn(sample)) {
      for (const field of Object.keys(at(sample, path))) {
        const optional = optionalOrderFields.includes(field) && /history|show/.test(name);
        for (const wrong of [undefined, null, { not: "it" }]) {
          const broken = structuredClone(sample);
          if (wrong === undefined) delete at(broken, path)[field];
          else at(broken, path)[field] = wrong;
          const read = endpoint.result.safeParse(broken);
          expect(read.success).toBe(optional && wrong === undefined);
          if (!read.success) {
            expect(problemOf(read.error, "result")).toMatch(
              new RegExp(`^${["result", ...path, field].join("\\.")} is (missing|not )`),
            );
          }
        }
      }
    }
  });
});

describe("enumerations", () => {
  it.each([
    ["side", ["BUY", "SELL"]],
    ["orderType", orderTypes],
    ["status", orderStatuses],
    ["contingencyType", contingencyTypes],
    ["otoLegType", otoLegTypes],
    ["orderMode", [0, 1]],
  ])("%s takes its values and nothing else", (field, values) => {
    const { result } = endpoints["order-show"];
    for (const value of values) {
      expect(result.safeParse({ ...openOrder, [field]: value }).success).toBe(true);
    }
    for (const wrong of ["", "buy", "WORKING_LEGS_PLACEHOLDER_REPLACED", 2, "0", -0]) {
      const read = result.safeParse({ ...openOrder, [field]: wrong });
      assert(!read.success, `${field} refuses ${String(wrong)}`);
      expect(problemOf(read.error, "order")).toContain(`order.${field} is `);
    }
  });
});

/** Not whole numbers as a query writes them. */
const hostile = [
  "",
  " 1",
  "-1",
  "-0",
  "+1",
  "1.0",
  "1e2",
  "1e400",
  "0x10",
  "١",
  "１",
  "NaN",
  "9".repeat(400),
  "9".repeat(16),
];

describe("queries", () => {
  it("transfers has its default and limit (§4.1, §8), a token is a whole number", () => {
    const { query } = endpoints.transfers;
    expect(query.parse({ address })).toEqual({ address, from: 0, limit: 100 });
    const full = { address, token_id: "2", from: "5", to: "7", limit: "500" };
    expect(query.parse(full)).toEqual({ ...full, from: 5, to: 7, limit: 500 });
    expect(query.parse({ address, token_id: 2 }).token_id).toBe("2");
    expect(query.parse({ address, token_id: "9223372036854775807" })).toBeTruthy();
    for (const token of [...hostile.slice(0, -1), "01", "9223372036854775808", "ETH"]) {
      expect(query.safeParse({ address, token_id: token }).success).toBe(false);
    }
    for (const limit of [...hostile, "0", "501"]) {
      expect(query.safeParse({ address, limit }).success).toBe(false);
    }
  });

  it("withdraw-retry needs a hash, session-create a name of limited length", () => {
    const retry = endpoints["withdraw-retry"].body;
    expect(retry?.safeParse({ txHash: hash }).success).toBe(true);
    for (const txHash of [undefined, "", "0x0", 7]) {
      expect(retry?.safeParse({ txHash }).success).toBe(false);
    }
    const create = endpoints["session-create"].body;
    expect(create?.safeParse({ tx: "0x01", name: "x".repeat(256) }).success).toBe(true);
    for (const name of ["x".repeat(257), 7, null]) {
      expect(create?.safeParse({ tx: "0x01", name }).success).toBe(false);
    }
  });

  it("order-show needs a hash (D16), and every POST a transaction in hex", () => {
    expect(endpoints["order-show"].query.safeParse({ orderId: hash }).success).toBe(true);
    expect(endpoints["order-show"].query.safeParse({ orderId: "17" }).success).toBe(false);
    for (const [name, endpoint] of all.filter(([, e]) => e.method === "POST")) {
      if (name === "withdraw-retry") continue;
      assert(endpoint.body !== undefined, "a body");
      expect(endpoint.body.safeParse({ tx: "0x01ff" }).success).toBe(true);
      for (const tx of [undefined, "", "0x", "0x1", "01ff", "0xzz", 1]) {
        expect(endpoint.body.safeParse({ tx }).success).toBe(false);
      }
    }
  });
});
