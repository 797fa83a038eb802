import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { jsonOf, type Round, tableOf } from "../../bench/venue-throughput/report.ts";

const file = path.join(import.meta.dirname, "../../bench/venue-throughput.ts");

it("a venue with a dataDir accepts and acknowledges every order of both loads", async () => {
  const args = [file, "--orders", "60", "--connections", "3", "--rounds", "1", "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(1);
  const found = JSON.parse(lines[0] ?? "") as { rounds: Round[] };
  expect(found).toMatchObject({
    event: "bench.venue-throughput",
    connections: 3,
    isKept: true,
    rounds: [{ closed: { orders: 60 }, open: { orders: 30 } }],
  });
  const [round] = found.rounds;
  for (const value of [round?.closed.p99Ms, round?.open.processorUs, round?.floor.perSecond]) {
    expect(value).toBeGreaterThan(0);
  }
});

it("the report has medians, ranges, and each round's share of its own floor", () => {
  const round = (perSecond: number, floor: number): Round => {
    const load = { orders: 9, perSecond, p50Ms: 1, p99Ms: 2, maxMs: 3, clientUs: 4 };
    return {
      closed: { ...load, processorUs: 200 },
      open: { ...load, perSecond: perSecond / 2, processorUs: 300 },
      floor: { perSecond: floor, processorUs: 100 },
    };
  };
  // A machine that is half as fast in one round halves both.
  const rounds = [round(600, 1000), round(300, 500), round(500, 1000)];
  const terms = { connections: 8, crypto: "ethers", isKept: true };
  expect(JSON.parse(jsonOf(rounds, terms))).toMatchObject({
    ordersPerSecond: 500,
    halfRatePerSecond: 250,
    floorPerSecond: 1000,
    shareByClock: 0.6,
    shareByProcessor: 0.5,
  });
  const table = tableOf(rounds, terms);
  expect(table).toContain("| 500 (300 to 600) |");
  expect(table).toContain("60 (50 to 60) % by the clock, 50 (50 to 50) % by processor time");
});
