import { zstdCompressSync } from "node:zlib";
import { expect, it } from "vitest";
import { listRuns } from "../../src/journal/segments.ts";
import { MemoryFiles } from "../journal/memory-files.ts";
import { expectVerified, liveWorld, stopped } from "./live-world.ts";

it("a bot compresses the segments of earlier runs, deletes what is too old, and says so", async () => {
  const world = await liveWorld(1);
  const files = new MemoryFiles(world.store);
  const lines: unknown[] = [];
  const log = { ...world.ports.log, info: (fields: unknown) => void lines.push(fields) };
  const compress = (bytes: Uint8Array) => Promise.resolve(zstdCompressSync(bytes));
  const ports = { segments: { files, compress }, log };
  const run = async (days?: number): Promise<void> => {
    const journal = { path: "journal", durability: "process" as const, keep: { days } };
    const bot = await world.start({ journal }, ports);
    await world.clock.runFor(5_000);
    await stopped(world, bot);
  };
  const segments = () => world.store.list("journal").filter((name) => name.includes(".journal"));
  await run();
  await run();
  expect(segments()).toEqual(["000001.journal.zst", "000002.journal"]);
  await expectVerified(world);
  expect(listRuns(world.store, "journal")).toHaveLength(2);
  // The time of the last write of every file here is 1970.
  await run(30);
  expect(segments()).toEqual(["000002.journal.zst", "000003.journal"]);
  expect(lines).toContainEqual({
    segments: ["000001.journal"],
    bytes: expect.any(Number),
    limit: "journal.keep.days",
  });
  await expectVerified(world);
  // The folder is free again.
  expect(world.store.lock("journal")).toBe(true);
});

it("the journal is free once the run is over, unless the disk hangs while a segment is compressed", async () => {
  const world = await liveWorld(2);
  const files = new MemoryFiles(world.store);
  const runFor = async (compress: (bytes: Uint8Array) => Promise<Uint8Array>): Promise<void> => {
    const bot = await world.start({}, { segments: { files, compress } });
    await world.clock.runFor(2_000);
    expect(await stopped(world, bot)).toMatchObject({ ok: true });
  };
  const inTime = (bytes: Uint8Array): Promise<Uint8Array> =>
    new Promise((resolve) => {
      world.clock.after(3_000, () => resolve(zstdCompressSync(bytes)));
    });
  await runFor(inTime);
  await runFor(inTime);
  expect(world.store.list("journal")).toContain("000002.journal");
  expect(world.store.lock("journal")).toBe(true);
  world.store.unlock("journal");
  await runFor(() => new Promise(() => undefined));
  expect(world.store.lock("journal")).toBe(false);
});
