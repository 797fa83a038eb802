import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync, zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { OrderId } from "../../src/domain/ids.ts";
import type { Entry } from "../../src/journal/entry.ts";
import { Journal } from "../../src/journal/journal.ts";
import { placedOrders } from "../../src/journal/placed-orders.ts";
import { orderStrategies } from "../../src/journal/order-strategies.ts";
import { restore } from "../../src/journal/restore.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { FORMAT_VERSION, upgradeEntry } from "../../src/journal/upgrade.ts";
import type { Restored } from "../../src/kernel/input.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { verifyRun } from "../../src/journal/verify.ts";
import { kernelConfigWith, verifyTools } from "../../src/cli/journal-tools.ts";
import { compareRun } from "../../src/runtime/compare-run.ts";
import { testCrypto } from "../support/venue.ts";
import { createStore } from "../../src/platform/store.ts";
import { runLine } from "../cli/run-line.ts";
import { Touchline } from "../support/touchline-process.ts";

/** Journals of earlier formats. The last version before format 2 wrote the one in fixtures/format-1. */

const fixture = path.join(import.meta.dirname, "fixtures/format-1");

interface Expected {
  readonly restored: {
    readonly nonceHighWater: number;
    readonly orders: readonly {
      readonly orderId: OrderId;
      readonly strategy: string;
      readonly leg?: unknown;
    }[];
  };
  readonly runs: readonly ExpectedRun[];
  readonly timing: Readonly<Record<string, number>>;
  readonly signer: string;
}

type Counts = Readonly<Record<string, number>>;

interface ExpectedRun {
  readonly batches: number;
  readonly inputs: Counts;
  readonly effects: Counts;
  readonly outcomes: Counts;
  readonly orders: number;
  readonly strategies: Counts;
}

const expected: Expected = JSON.parse(readFileSync(path.join(fixture, "expected.json"), "utf8"));
let home = "";
let folder = "";
let config = "";

beforeAll(() => {
  home = mkdtempSync(path.join(tmpdir(), "touchline-old-journal-"));
  folder = path.join(home, "journal");
  config = path.join(home, "bot.yaml");
  const plugin = path.join(home, "node_modules/stop-floor");
  mkdirSync(folder);
  mkdirSync(plugin, { recursive: true });
  for (const name of ["000001.journal", "000002.journal", "000003.journal"]) {
    const packed = readFileSync(path.join(fixture, `${name}.gz`));
    writeFileSync(path.join(folder, name), gunzipSync(packed));
  }
  copyFileSync(path.join(fixture, "bot.yaml"), config);
  copyFileSync(path.join(fixture, "stop-floor.js"), path.join(plugin, "index.js"));
  writeFileSync(
    path.join(plugin, "package.json"),
    JSON.stringify({ name: "stop-floor", type: "module", exports: "./index.js" }),
  );
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("a journal of format 1", () => {
  it.each([1, 2, 3])(
    "re-runs to the same decisions, bytes and signatures, run %i",
    async (run) => {
      // A process of its own, since Node loads a plugin in a package.
      const ran = new Touchline([
        "journal",
        "verify",
        folder,
        "--run",
        `${run}`,
        "--config",
        config,
      ]);
      const code = await ran.exit;
      expect(ran.lines[0], ran.stderr).toMatchObject({
        event: "verified",
        batches: expected.runs[run - 1]?.batches,
        firstDifference: null,
        identical: true,
      });
      expect(code).toBe(0);
    },
    60_000,
  );

  it("reads the same when its segments are compressed", () => {
    const packed = path.join(home, "compressed");
    mkdirSync(packed);
    for (const name of ["000001.journal", "000002.journal"]) {
      const bytes = readFileSync(path.join(folder, name));
      writeFileSync(path.join(packed, `${name}.zst`), zstdCompressSync(bytes));
    }
    copyFileSync(path.join(folder, "000003.journal"), path.join(packed, "000003.journal"));
    const store = createStore();
    const entriesIn = (from: string) =>
      listRuns(store, from).map((run) => [...entriesOfRun(store, run)]);
    expect(entriesIn(packed)).toEqual(entriesIn(folder));
    expect(restore(store, packed)).toEqual(restore(store, folder));
  });

  it("is listed and shown", async () => {
    const listed = await runLine(["journal", "ls", folder, "--json"]);
    const runs = listed.events[0]?.["runs"];
    expect(runs).toHaveLength(3);
    expect(runs).toMatchObject([
      { run: 1, codeVersion: "0.1.0+3c6aba332cfb", signer: expected.signer },
      { run: 2, segments: ["000002.journal"] },
      { run: 3, strategies: [{ name: "eth-maker" }, { name: "eth-dips" }, { name: "eth-floor" }] },
    ]);
    const shown = await runLine(["journal", "show", folder, "--run", "1", "--limit", "9999"]);
    expect(shown.code, shown.err).toBe(0);
    expect(shown.out.trim().split("\n")).toHaveLength(expected.runs[0]?.batches ?? 0);
  }, 60_000);

  it("gives every input, effect and outcome its current name", () => {
    const store = createStore();
    const read = listRuns(store, folder).map((run) => {
      const found = { batches: 0, inputs: count(), effects: count(), outcomes: count() };
      for (const entry of entriesOfRun(store, run)) {
        if (entry.type !== "batch") continue;
        found.batches += 1;
        for (const input of entry.entry.batch.inputs) {
          add(found.inputs, input.type);
          if ("outcome" in input) add(found.outcomes, input.outcome.type);
        }
        for (const effect of entry.entry.effects) add(found.effects, effect.type);
      }
      return found;
    });
    expect(read).toEqual(
      expected.runs.map(({ batches, inputs, effects, outcomes }) => ({
        batches,
        inputs: renamed(inputs),
        effects: renamed(effects),
        outcomes,
      })),
    );
  });

  it("tells a restart which orders are open, and the journal continues from there", () => {
    const store = createStore();
    const { restored, header } = restore(store, folder);
    // It has no clean end, so orders may be missing in it.
    const lastEntry = { nowMs: 1_795_342_850_776, offsetMs: 2, roundTripMs: 1 };
    // None of them is a replacement, so each but the legs has the size that was signed (docs/decisions/209).
    const orders = expected.restored.orders.map((order) =>
      order.leg === undefined ? { ...order, isSized: true } : order,
    );
    const wanted = { ...expected.restored, orders, venueOffsetMs: 2 };
    expect(restored).toEqual({ ...wanted, lastEntry });
    expect(header).toBeDefined();
    if (header === undefined) return;
    expect(header.kernel.timing).toEqual(renamed(expected.timing));

    const copy = path.join(home, "continued");
    mkdirSync(copy);
    for (const name of ["000001.journal", "000002.journal", "000003.journal"]) {
      copyFileSync(path.join(folder, name), path.join(copy, name));
    }
    const journal = new Journal({
      store,
      folder: copy,
      header: { ...header, runId: "next" },
      restored,
    });
    void journal.close();
    const venueTime = { offsetMs: 2, roundTripMs: 1 };
    const { restored: next } = restore(store, copy);
    expect(next).toEqual({ ...wanted, venueTime });
    expect(listRuns(store, copy).map((run) => run.header.runId)).toHaveLength(4);
  });

  it("names the strategies of its orders", () => {
    const store = createStore();
    const wanted = new Map<OrderId, number>();
    const counted = listRuns(store, folder).map((run) => {
      const strategies = count();
      for (const entry of entriesOfRun(store, run)) {
        if (entry.type !== "batch") continue;
        for (const { orderId, strategy } of placedOrders(entry.entry)) {
          wanted.set(orderId, entry.entry.batch.nowMs);
          add(strategies, strategy);
        }
      }
      return strategies;
    });
    expect(counted).toEqual(expected.runs.map(({ strategies }) => strategies));
    const tags = orderStrategies(store, folder, wanted);
    expect(tags?.size).toBe(wanted.size);
    for (const { orderId, strategy } of expected.restored.orders) {
      expect(tags?.get(orderId)).toBe(strategy);
    }
  });
});

/** The two segments of a fixture. */
function opened(folder: string): MemoryStore {
  const store = new MemoryStore();
  for (const name of ["000001.journal", "000002.journal"]) {
    const file = store.openAppend(`journal/${name}`);
    file.append(gunzipSync(readFileSync(path.join(folder, `${name}.gz`))));
  }
  return store;
}

/** Expects the `number`-th run of a fixture to re-run as it was. */
async function expectSameRun(store: MemoryStore, number: number, batches: number | undefined) {
  const run = listRuns(store, "journal")[number - 1];
  if (run === undefined) throw new Error("the fixture has this run");
  const configFile = `${import.meta.dirname}/bot.yaml`;
  const tools = await verifyTools(run.header, await testCrypto(), { configFile });
  expect(verifyRun(run.header, entriesOfRun(store, run), tools)).toMatchObject({
    identical: true,
    firstDifference: null,
    batches,
  });
}

describe("a journal of format 3", () => {
  const third = path.join(import.meta.dirname, "fixtures/format-3");
  const written: { runs: readonly { batches: number }[]; limits: readonly object[] } = JSON.parse(
    readFileSync(path.join(third, "expected.json"), "utf8"),
  );

  it.each([1, 2])(
    "re-runs with the limits that it derived, not rounded, run %i",
    async (number) => {
      const store = opened(third);
      expect(listRuns(store, "journal")[number - 1]?.header.kernel.limitsToDerive).toEqual({
        limits: ["maxPosition", "maxOrderNotional"],
        dayLoss: "bot",
      });
      await expectSameRun(store, number, written.runs[number - 1]?.batches);
    },
  );

  it("is compared with another YAML without settings that are newer than the run", async () => {
    const [run] = listRuns(opened(third), "journal");
    if (run === undefined) throw new Error("the fixture has this run");
    const file = path.join(home, "format-3.yaml");
    writeFileSync(file, run.header.configText);
    const env = { TOUCHLINE_KEY: `0x${"41".repeat(32)}` };
    const kernel = await kernelConfigWith(run.header, file, { env, overrides: [] });
    expect(kernel.limitsToDerive?.significantDigits).toBeUndefined();
    expect(kernel.limitsToDerive?.limits).toEqual(["maxPosition", "maxOrderNotional"]);
    expect(kernel.ladder?.countedGapMs).toBeUndefined();
    expect(kernel.ladder?.widensTpsl).toBe(true);
    const entries = entriesOfRun(opened(third), run);
    expect(compareRun(entries, kernel).firstDifference).toBeNull();
  });

  it("gives its derived limits to the next run", () => {
    const { carried = [] } = restore(opened(third), "journal").restored;
    const limits = carried.filter(({ type }) => type === "limit");
    expect(limits).toHaveLength(written.limits.length);
    expect(limits).toEqual(
      expect.arrayContaining(written.limits.map((limit) => expect.objectContaining(limit))),
    );
  });
});

describe("a journal of format 2", () => {
  const second = path.join(import.meta.dirname, "fixtures/format-2");
  const written: { restored: Restored; runs: readonly { batches: number }[] } = JSON.parse(
    readFileSync(path.join(second, "expected.json"), "utf8"),
  );
  const open = (): MemoryStore => opened(second);

  it.each([1, 2])("re-runs to the same decisions, bytes and signatures, run %i", async (number) => {
    await expectSameRun(open(), number, written.runs[number - 1]?.batches);
  });

  it("tells a restart what the old version read, which has no positions", () => {
    const { restored } = restore(open(), "journal");
    expect(restored).toMatchObject(written.restored);
    expect(restored.carried).toBeUndefined();
  });
});

it("translates the inputs and effects for rate tokens, which the fixture does not contain", () => {
  const entry: Entry = JSON.parse(
    `{ "type": "batch", "entry": {
      "batch": { "seq": 1, "nowMs": 1, "inputs": [{ "type": "turnWanted" }, { "type": "trade" }] },
      "effects": [{ "type": "turns", "count": 2 }], "signed": [], "ended": [] } }`,
  );
  expect(upgradeEntry(entry, 1)).toMatchObject({
    entry: {
      batch: { inputs: [{ type: "tokenWanted" }, { type: "trade" }] },
      effects: [{ type: "tokens", count: 2 }],
    },
  });
  expect(upgradeEntry(entry, FORMAT_VERSION)).toBe(entry);
});

/** Current names for the old ones in `expected.json`. */
function renamed(counts: Counts): Counts {
  const names = new Map([
    ["answer", "response"],
    ["askFirstMs", "queryFirstMs"],
    ["askMaxMs", "queryMaxMs"],
    ["refusalRestMs", "refusalCooldownMs"],
    ["refusalRestMaxMs", "refusalCooldownMaxMs"],
  ]);
  return Object.fromEntries(
    Object.entries(counts).map(([name, value]) => [names.get(name) ?? name, value]),
  );
}

function count(): Record<string, number> {
  return {};
}

function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
