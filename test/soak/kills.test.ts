import { expect, it, onTestFinished } from "vitest";
import { killsUnderLoad } from "./real/kills.ts";
import { SoakVenue } from "./real/stage.ts";

const count = Number(process.env["SOAK_KILLS"] ?? "50");

it(`kill -9, ${count} times under load: no order is forgotten, doubled or counted wrong`, async () => {
  const venue = new SoakVenue({ isGuarded: process.env["SOAK_GUARD"] !== "0" });
  onTestFinished(({ task }) => venue.close({ keepsFiles: task.result?.state !== "pass" }));
  const result = await killsUnderLoad(venue, {
    count,
    seed: Number(process.env["SOAK_SEED"] ?? "1"),
    settleMs: 65_000,
  });
  const { lines, problems, ...numbers } = result;
  process.stdout.write([...lines, JSON.stringify(numbers), ...problems, ""].join("\n"));
  expect(problems).toEqual([]);
  expect(numbers.strangers).toBe(0);
  expect(numbers.maxOrphanMs).toBeLessThan(10_000);
  expect(numbers.killsWithOrders).toBeGreaterThan(0.6 * count);
}, 3_600_000);
