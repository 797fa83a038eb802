import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { zstdCompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it, test, vi } from "vitest";
import { marketId } from "../../src/domain/ids.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Journal } from "../../src/journal/journal.ts";
import { createStore } from "../../src/platform/store.ts";
import { headerOf } from "../journal/journal-fixture.ts";
import { liveWorld, stopped } from "../runtime/live-world.ts";
import { runLine } from "./run-line.ts";
import { recordTwoRuns, twoRunsYaml } from "./two-runs.ts";

/** The commands on the journal of two runs, whose first segment is compressed. */

const home = mkdtempSync(path.join(tmpdir(), "touchline-journal-commands-"));
const folder = path.join(home, "journal");
const bot = path.join(home, "bot.yaml");

beforeAll(async () => {
  const store = await recordTwoRuns();
  mkdirSync(folder);
  writeFileSync(bot, twoRunsYaml);
  for (const name of store.list("journal")) {
    const bytes = store.read(`journal/${name}`) ?? new Uint8Array();
    if (name !== "000001.journal") writeFileSync(path.join(folder, name), bytes);
    else writeFileSync(path.join(folder, `${name}.zst`), zstdCompressSync(bytes));
  }
});

afterAll(() => rmSync(home, { recursive: true }));

async function rowsOf(table: string): Promise<readonly Record<string, unknown>[]> {
  const { out } = await runLine(
    `journal export ${folder} --table ${table} --format ndjson`.split(" "),
  );
  return out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("journal export", () => {
  it("writes all runs, compressed or not, as CSV or ndjson", async () => {
    const rows = await rowsOf("decisions");
    expect(new Set(rows.map(({ run }) => run))).toEqual(new Set([1, 2]));
    const out = path.join(home, "decisions.csv");
    const { code, events } = await runLine(
      `journal export ${folder} --table decisions --out ${out} --json`.split(" "),
    );
    expect(code).toBe(0);
    expect(events).toMatchObject([{ event: "journal.export", rows: rows.length }]);
    const [head, ...lines] = readFileSync(out, "utf8").trim().split("\n");
    expect(head).toMatch(/^run,seq,time,strategy,command,/);
    expect(lines).toHaveLength(rows.length);
  });

  it("says how many rows of which table it wrote", async () => {
    const out = path.join(home, "latency.csv");
    const ran = await runLine(`journal export ${folder} --table latency --out ${out}`.split(" "));
    const lines = readFileSync(out, "utf8").trim().split("\n");
    expect(ran.out).toBe(`${lines.length - 1} rows of latency in ${out}\n`);
  });

  it("does not mix rows and machine lines on stdout", async () => {
    const { code } = await runLine(["journal", "export", folder, "--json"]);
    expect(code).toBe(2);
  });
});

describe("journal show", () => {
  it("tells the story of an order", async () => {
    const [placed] = (await rowsOf("decisions")).filter(({ command }) => command === "place");
    const { code, events } = await runLine([
      "journal",
      "show",
      folder,
      String(placed?.["orderId"]),
      "--json",
    ]);
    expect(code).toBe(0);
    expect(events.map(({ what }) => what)).toEqual(
      expect.arrayContaining(["decision", "placement", "response", "state"]),
    );
    expect(events.every(({ event, run }) => event === "journal.order" && run === 1)).toBe(true);
  });

  it("tells a moment, also by the time that its own tables show", async () => {
    const rows = await rowsOf("decisions");
    const time = Number(rows[5]?.["time"]);
    const text = new Date(time).toISOString().replace("T", " ").replace("Z", "");
    for (const written of [String(time), new Date(time).toISOString(), text]) {
      const { events } = await runLine(["journal", "show", folder, written, "--json"]);
      expect(events).toMatchObject([{ event: "journal.moment", run: 1, time }]);
    }
  });

  it("says of a moment after the run that its state is older", async () => {
    const rows = await rowsOf("decisions");
    const newest = Number(rows.at(-1)?.["time"]);
    const later = String(newest + 3_600_000);
    const { out } = await runLine(["journal", "show", folder, later]);
    expect(out).toContain("the run's last, of ");
    const { events } = await runLine(["journal", "show", folder, later, "--json"]);
    expect(events).toMatchObject([{ endedTime: expect.any(Number) }]);
    expect(Number(events[0]?.["endedTime"])).toBeGreaterThanOrEqual(newest);
    const within = await runLine(["journal", "show", folder, String(newest - 1), "--json"]);
    expect(within.events).toMatchObject([{ endedTime: null }]);
  });

  it("refuses an order that no run knows, and what is neither order nor time", async () => {
    expect((await runLine(["journal", "show", folder, `0x${"9".repeat(64)}`])).code).toBe(1);
    expect((await runLine(["journal", "show", folder, "yesterday"])).code).toBe(2);
    expect((await runLine(["journal", "show", folder, "5"])).code).toBe(1);
  });

  it("still shows batches without an order or time", async () => {
    const { events } = await runLine(["journal", "show", folder, "--limit", "3", "--json"]);
    expect(events).toMatchObject([{ event: "journal.show", type: "batch" }, {}, {}]);
  });

  it("says where batches that the limit leaves out begin", async () => {
    const some = await runLine(["journal", "show", folder, "--from", "2", "--limit", "3"]);
    expect(some.out.trim().split("\n")).toHaveLength(3);
    expect(some.err).toBe("More batches follow; continue with --from 5.\n");
    const all = await runLine(["journal", "show", folder, "--limit", "100000"]);
    expect(all.err).toBe("");
  });

  it("says which batch is the last when none is left to show", async () => {
    const all = await runLine(["journal", "show", folder, "--limit", "100000"]);
    const last = Math.max(...all.out.split("\n").map((line) => Number.parseInt(line, 10) || 0));
    const beyond = await runLine(["journal", "show", folder, "--from", "100000000"]);
    expect(beyond).toMatchObject({
      code: 0,
      out: "",
      err: `No batch from 100000000 on; the last one is ${last}.\n`,
    });
  });
});

describe("journal verify --with", () => {
  it("finds no difference with the configuration of the run", async () => {
    const { code, events } = await runLine(
      `journal verify ${folder} --run 1 --with ${bot} --json`.split(" "),
    );
    expect(code).toBe(0);
    expect(events).toMatchObject([{ event: "compared", firstDifference: null }]);
    expect(Number(events[0]?.["commands"])).toBeGreaterThan(5);
  });

  it("shows the first decision that another parameter would change", async () => {
    const { code, events } = await runLine(
      `journal verify ${folder} --with ${bot} --set strategies.maker.params.bidSpread=0.3% --json`.split(
        " ",
      ),
    );
    expect(code).toBe(0);
    expect(events[0]?.["firstDifference"]).toMatchObject({
      seq: expect.any(Number),
      time: expect.any(Number),
      strategy: "maker",
      recorded: expect.arrayContaining([expect.objectContaining({ type: "place", side: "BUY" })]),
      changed: expect.arrayContaining([expect.objectContaining({ type: "place", side: "BUY" })]),
      decided: [expect.objectContaining({ type: "set" })],
    });
  });

  it("shows what a tighter limit would deny", async () => {
    const { events } = await runLine(
      `journal verify ${folder} --with ${bot} --set risk.maxOpenOrders=3 --json`.split(" "),
    );
    expect(events[0]?.["firstDifference"]).toMatchObject({
      denied: [
        expect.objectContaining({ reason: expect.objectContaining({ rule: "max-open-orders" }) }),
      ],
    });
  });

  it("refuses a configuration for another market", async () => {
    const { code } = await runLine(
      `journal verify ${folder} --with ${bot} --set strategies.maker.market=7_2`.split(" "),
    );
    expect(code).toBe(2);
  });
});

test("journal verify names the version that a run of another version is verified with", async () => {
  const { err } = await runLine(["journal", "verify", folder, "--with", bot]);
  expect(err).toMatch(/^warning: the run was recorded by touchline test, which is the version to/);
});

describe("a run whose beginning was deleted", () => {
  it("is not re-run, and the error says why", async () => {
    const cut = path.join(home, "cut");
    mkdirSync(cut);
    // A segment of a later part of the run: its first batches were in a segment that is gone.
    const world = await liveWorld(2);
    const running = await world.start();
    await world.clock.runFor(5_000);
    await stopped(world, running);
    const { Journal } = await import("../../src/journal/journal.ts");
    const { entriesOfRun, listRuns } = await import("../../src/journal/segments.ts");
    const [run] = listRuns(world.store, "journal");
    if (run === undefined) throw new Error("no run");
    const restored = { nonceHighWater: 0, orders: [], carried: [] };
    const { header } = run;
    const journal = new Journal({ store: world.store, folder: "cut", header, restored });
    for (const entry of entriesOfRun(world.store, run)) {
      if (entry.type === "batch" && entry.entry.batch.seq > 3) journal.append(entry.entry);
    }
    await journal.close();
    const bytes = world.store.read("cut/000001.journal") ?? new Uint8Array();
    writeFileSync(path.join(cut, "000001.journal"), bytes);
    const { code, events } = await runLine(["journal", "verify", cut, "--json"]);
    expect(code).toBe(1);
    expect(events).toMatchObject([{ event: "error", code: "JOURNAL_INCOMPLETE" }]);
  });
});

test("no code that only a journal names runs, unless --trust says so", async () => {
  const theirs = path.join(home, "theirs");
  const ran = path.join(home, "ran");
  const plugin = path.join(home, "their-plugin.js");
  const code = (says: string) => `
    import { writeFileSync } from "node:fs";
    writeFileSync(${JSON.stringify(ran)}, "${says}");`;
  writeFileSync(plugin, code("theirs"));
  const journal = new Journal({
    store: createStore(),
    folder: theirs,
    header: {
      ...headerOf("a"),
      strategies: [{ name: "maker", plugin, params: {}, marketId: marketId("1", "2"), seed: 1 }],
    },
    restored: { nonceHighWater: 1, carried: [], orders: [] },
  });
  journal.append({
    batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
    effects: [],
    signed: [],
    ended: [],
    booked: [],
  });
  await journal.close();
  writeFileSync(path.join(theirs, "bot.yaml"), `strategies: [{ name: maker, plugin: ${plugin} }]`);
  const lines = [`journal verify ${theirs}`, `journal show ${theirs} 1`, `parity ${theirs}`];
  for (const line of lines) {
    const { code: exit, events } = await runLine([...line.split(" "), "--json"]);
    expect(exit).toBe(2);
    expect(events).toMatchObject([
      { event: "error", code: "PLUGIN_UNTRUSTED", message: expect.stringContaining(plugin) },
    ]);
  }
  expect(existsSync(ran)).toBe(false);

  const ours = path.join(home, "ours.yaml");
  const user = path.join(home, "user");
  mkdirSync(user);
  vi.stubEnv("HOME", user);
  const strategy = "strategies: [{ name: maker";
  for (const [place, yaml] of [
    ["beside.js", `${strategy}, plugin: ./beside.js }]`],
    ["default.js", `defaults: { plugin: ./default.js }\n${strategy} }]`],
    ["user/own.js", `${strategy}, plugin: ~/own.js }]`],
  ] as const) {
    writeFileSync(path.join(home, place), code(place));
    writeFileSync(ours, yaml);
    await runLine(["journal", "verify", theirs, "--config", ours]);
    expect(readFileSync(ran, "utf8")).toBe(place);
  }
  vi.unstubAllEnvs();
  await runLine(["journal", "verify", theirs, "--trust"]);
  expect(readFileSync(ran, "utf8")).toBe("theirs");
});
