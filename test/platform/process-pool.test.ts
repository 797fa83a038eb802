import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { ProcessPool } from "../../src/platform/process-pool.ts";

const report = z.object({ value: z.number(), pid: z.number() });
type Report = z.output<typeof report>;
interface Job {
  readonly value: number | "die";
}

const opened: ProcessPool<Job, Report>[] = [];
afterEach(() => {
  for (const pool of opened.splice(0)) pool.close();
});

function open(module: string, size: number): ProcessPool<Job, Report> {
  const pool = new ProcessPool<Job, Report>({
    module: new URL(module, import.meta.url),
    size,
    read: (message) => report.parse(message),
  });
  opened.push(pool);
  return pool;
}

test("each job gets its own report, from no more processes than asked for", async () => {
  const pool = open("pooled-child.ts", 2);
  const reports = await Promise.all([1, 2, 3, 4, 5].map((value) => pool.run({ value })));
  expect(reports.map(({ value }) => value)).toEqual([2, 4, 6, 8, 10]);
  expect(new Set(reports.map(({ pid }) => pid)).size).toBeLessThanOrEqual(2);
});

test("a process that ends without a report fails its own job only", async () => {
  const pool = open("pooled-child.ts", 1);
  const died = pool.run({ value: "die" });
  const next = pool.run({ value: 4 });
  await expect(died).rejects.toThrow("ended without a report (7)");
  expect((await next).value).toBe(8);
});

test("a module that cannot be loaded fails every job", async () => {
  const pool = open("no-such-child.ts", 2);
  const settled = await Promise.allSettled([1, 2, 3].map((value) => pool.run({ value })));
  const reason: unknown = expect.objectContaining({
    message: "its process ended without a report (1)",
  });
  expect(settled).toEqual(settled.map(() => ({ status: "rejected", reason })));
});

test("closing rejects what still waits", async () => {
  const pool = open("pooled-child.ts", 1);
  const jobs = [1, 2].map((value) => pool.run({ value }));
  const settled = Promise.allSettled(jobs);
  pool.close();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
