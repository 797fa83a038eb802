import { expect } from "vitest";
import { orderOf, take, type VenueClient } from "../client.ts";
import type { ConformanceCase } from "../conformance-case.ts";

/** §4.5's table: from this price up, so many decimals, at least this size. */
const tiers: readonly (readonly [from: string, finest: string, tooFine: string, size: string])[] = [
  ["10000", "10001", "10000.5", "0.00001"],
  ["1000", "1000.1", "1000.01", "0.0001"],
  ["100", "100.01", "100.001", "0.001"],
  ["10", "10.001", "10.0001", "0.01"],
  ["1", "1.0001", "1.00001", "0.1"],
  ["0.1", "0.10001", "0.100001", "1"],
  ["0.01", "0.010001", "0.0100001", "1"],
  ["0.001", "0.0010001", "0.00100001", "1"],
];

/** What comes of an order of Alice's, who pays in money that she has. */
async function statusOf(client: VenueClient, price: string, quantity: string): Promise<unknown> {
  const id = await take(client, client.alice.limit(0, price, quantity));
  const { status } = await orderOf(client, id);
  await client.send(client.alice.cancel(id));
  return status;
}

/** Digits of the last decimal place less one: the greatest size that is too small. */
function below(size: string): string {
  const decimals = size.split(".")[1]?.length ?? 0;
  return (Number(size) - 10 ** -(decimals + 1)).toFixed(decimals + 1);
}

const lowest = ["0.0001", "0.00001", "0.000001", "0.0000001", "0.00000001"];

export const prices: readonly ConformanceCase[] = [
  {
    id: "C-4.5-01",
    line: "a price has at most 5 significant digits",
    run: async (client) => {
      for (const [price, status] of [
        ["1234.5", "NEW"],
        ["1234.56", "REJECTED"],
        ["12345", "NEW"],
        ["0.012345", "NEW"],
        ["0.0123456", "REJECTED"],
      ] as const) {
        expect([price, await statusOf(client, price, "1")]).toEqual([price, status]);
      }
    },
  },
  {
    id: "C-4.5-02",
    line: "a price has at most 8 decimals",
    run: async (client) => {
      expect(await statusOf(client, "0.00000012", "1")).toBe("NEW");
      expect(await statusOf(client, "0.000000012", "1")).toBe("REJECTED");
    },
  },
  ...tiers.map(
    ([from, finest, tooFine, size], at): ConformanceCase => ({
      id: `C-4.5-${String(3 + at).padStart(2, "0")}`,
      line: `from ${from} up: prices as fine as ${finest}, sizes from ${size}`,
      run: async (client) => {
        expect(await statusOf(client, from, size)).toBe("NEW");
        expect(await statusOf(client, finest, size)).toBe("NEW");
        expect(await statusOf(client, tooFine, size)).toBe("REJECTED");
        expect(await statusOf(client, from, below(size))).toBe("REJECTED");
      },
    }),
  ),
  {
    id: "C-4.5-11",
    line: "the five lowest tiers: 8 decimals, sizes from 1",
    run: async (client) => {
      for (const from of lowest) {
        expect(await statusOf(client, from, "1")).toBe("NEW");
        expect(await statusOf(client, from, "0.99999")).toBe("REJECTED");
      }
      expect(await statusOf(client, "0.00012345", "1")).toBe("NEW");
      expect(await statusOf(client, "0.000123456", "1")).toBe("REJECTED");
    },
  },
];
