import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { SweepConfig } from "../../src/config/load-sweep-config.ts";
import { jobId } from "../../src/sweep/job-id.ts";
import { JobLog } from "../../src/sweep/job-log.ts";
import type { JobReport, ReplayLine, RunJob, SweepJob } from "../../src/sweep/job.ts";
import { judgeTrials } from "../../src/sweep/judge-trials.ts";
import { runSweep } from "../../src/sweep/run-sweep.ts";
import { sweepCsv, sweepJson } from "../../src/sweep/sweep-files.ts";
import { parameterTitles } from "../../src/sweep/parameter-titles.ts";
import { sweepPage } from "../../src/sweep/sweep-page.ts";
import { MemoryStore } from "../../src/sim/memory-store.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const recording = path.resolve(import.meta.dirname, "../../config/recordings/zilusdt");
const text = "strategies: [{ name: maker, params: {} }]\n";

function sweep(more: Partial<SweepConfig> = {}): SweepConfig {
  return {
    file: "sweep.yaml",
    bot: { file: "bot.yaml", text },
    recordings: [recording],
    markets: {},
    parameters: [
      { name: "a", paths: ["a"], values: { kind: "list", values: [1, 2, 3] } },
      { name: "b", paths: ["b"], values: { kind: "list", values: ["x", "<y>"] } },
    ],
    search: "grid",
    runs: undefined,
    seed: 1,
    batch: 2,
    objective: "pnl",
    minFills: 0,
    walkForward: undefined,
    ...more,
  };
}

const line = (more: Partial<ReplayLine> = {}): ReplayLine => ({
  durationMs: 3_600_000,
  fills: 10,
  volumeQuote: "1000",
  pnl: { total: "1" },
  maxDrawdown: "2",
  sharpe: null,
  totals: null,
  denied: [],
  described: {},
  strategies: [],
  ...more,
});
const report = (more: Partial<ReplayLine> = {}): JobReport => ({
  result: line(more),
  reason: null,
  warnings: [],
});

/** The value of `a` that a job sets. */
const a = ({ overrides }: SweepJob): number => Number(overrides[0]?.slice("a=".length));

async function run(config: SweepConfig, runJob: RunJob, store = new MemoryStore()) {
  const log = new JobLog({ ...io, store }, "out");
  try {
    const outcome = await runSweep({
      config,
      version: "1",
      io,
      env: {},
      runJob,
      log,
      pause: async () => undefined,
      onProgress: () => undefined,
    });
    return { outcome, result: judgeTrials(config, outcome) };
  } finally {
    log.close();
  }
}

test("the table is in the order of the search, whatever the order in which jobs end", async () => {
  const forward = await run(sweep(), async (job) => report({ pnl: { total: `0.${a(job)}` } }));
  let waiting: (() => void)[] = [];
  const backward = run(
    sweep(),
    (job) =>
      new Promise((resolve) => {
        waiting.push(() => resolve(report({ pnl: { total: `0.${a(job)}` } })));
        if (waiting.length < 6) return;
        for (const end of waiting.reverse()) end();
        waiting = [];
      }),
  );
  expect(sweepJson((await backward).result)).toBe(sweepJson(forward.result));
  expect(
    forward.result.rows.map(({ number, rank, objective }) => [number, rank, objective]),
  ).toEqual([
    [1, 5, 0.1],
    [2, 6, 0.1],
    [3, 3, 0.2],
    [4, 4, 0.2],
    [5, 1, 0.3],
    [6, 2, 0.3],
  ]);
});

test("a run that fails, or fills too little, is a row with its reason", async () => {
  const { result } = await run(sweep({ minFills: 5 }), async (job) => {
    if (a(job) === 1) return { result: null, reason: "a is too small.", warnings: [] };
    return report({ fills: a(job) * 2 });
  });
  expect(result.rows.map(({ reason, rank }) => [reason, rank])).toEqual([
    ["a is too small.", null],
    ["a is too small.", null],
    ["fewer than 5 fills", null],
    ["fewer than 5 fills", null],
    [null, 1],
    [null, 2],
  ]);
  expect(result.warnings[0]).toBe("4 of 6 runs do not count, run 1 for instance: a is too small.");
});

test("a process that dies is a row with its reason, and its job runs again at the next start", async () => {
  const store = new MemoryStore();
  const first = await run(
    sweep(),
    async (job) => {
      if (a(job) === 2) throw new Error("its process ended");
      return report();
    },
    store,
  );
  expect(first.result.rows.map(({ reason }) => reason)).toEqual([
    null,
    null,
    "its process ended",
    "its process ended",
    null,
    null,
  ]);
  const jobs: number[] = [];
  const second = await run(
    sweep(),
    async (job) => {
      jobs.push(a(job));
      return report();
    },
    store,
  );
  expect(jobs).toEqual([2, 2]);
  expect(second.outcome.progress).toEqual({ done: 6, total: 6, reused: 4 });
});

test("finished jobs are not repeated; one whose line is torn is, once", async () => {
  const store = new MemoryStore();
  let count = 0;
  const counted = async () => {
    count = 0;
    const { result } = await run(
      sweep(),
      async (job) => {
        count += 1;
        return report({ pnl: { total: String(a(job)) } });
      },
      store,
    );
    return { count, csv: sweepCsv(result) };
  };
  const { csv } = await counted();
  const log = store.openAppend("out/jobs.ndjson", {});
  const size = log.size;
  log.close();
  store.openAppend("out/jobs.ndjson", { truncateTo: size - 20 }).close();
  expect(await counted()).toEqual({ count: 1, csv });
  expect(await counted()).toEqual({ count: 0, csv });
});

test("bytes that are no text in the list of finished jobs cost their own line only", async () => {
  const store = new MemoryStore();
  const counted = async (): Promise<number> => {
    let count = 0;
    await run(
      sweep(),
      async () => {
        count += 1;
        return report();
      },
      store,
    );
    return count;
  };
  const all = await counted();
  const damaged = Uint8Array.of(0xff, 0xff, 0x0a, ...(store.read("out/jobs.ndjson") ?? []));
  const file = store.openAppend("out/jobs.ndjson", { truncateTo: 0 });
  file.append(damaged.subarray(0, -1));
  file.close();
  expect([all, await counted(), await counted()]).toEqual([6, 1, 0]);
});

test.each([
  "strategies: [{ plugin: ./maker.ts }]",
  "defaults: { plugin: ./maker.ts }\nstrategies: [{ name: maker }]",
])("a plugin or a latency trace with another content is another job (%s)", (strategies) => {
  const folder = temporaryFolder();
  const write = (name: string, content: string) => writeFileSync(path.join(folder, name), content);
  const id = () => {
    const job = {
      bot: {
        file: path.join(folder, "bot.yaml"),
        text: `${strategies}\nmodels: { latency: { entry: trace(delays.csv) } }\n`,
      },
      overrides: [],
      recording: { folder: "recording", checksum: "1" },
      markets: {},
    };
    return jobId(job, { version: "1", env: {}, io });
  };
  write("maker.ts", "1");
  write("delays.csv", "1");
  const first = id();
  expect(id()).toBe(first);
  write("delays.csv", "2");
  const second = id();
  expect(second).not.toBe(first);
  write("maker.ts", "2");
  expect(id()).not.toBe(second);
});

test("other configs, markets, versions and variables are other jobs; the folder of the config does not count", async () => {
  const ids = async (config: SweepConfig, env: Record<string, string>, version: string) => {
    const found: string[] = [];
    const log = new JobLog({ ...io, store: new MemoryStore() }, "out");
    const runJob: RunJob = async (job) => {
      found.push(job.id);
      return report();
    };
    const pause = async () => undefined;
    await runSweep({ config, version, io, env, runJob, log, pause, onProgress: () => undefined });
    return found.join();
  };
  const withVariable = sweep({ bot: { file: "bot.yaml", text: `${text}# \${X}\n` } });
  const all = [
    await ids(sweep(), {}, "1"),
    await ids(sweep(), {}, "2"),
    await ids(withVariable, { X: "1" }, "1"),
    await ids(withVariable, { X: "2" }, "1"),
    await ids(sweep({ markets: { "1_2": "A_B" } }), {}, "1"),
  ];
  expect(new Set(all).size).toBe(all.length);
  expect(await ids(sweep({ bot: { file: "elsewhere/bot.yaml", text } }), {}, "1")).toBe(all[0]);
});

describe("walk-forward", () => {
  /** The recording is 118 s long: windows of 40 s and 20 s, moved by 20 s. */
  const walkForward = { train: 40_000, test: 20_000, purge: 5_000 };
  /** In sample the PnL is `a` an hour; out of sample `a − 2`. */
  const runJob: RunJob = async (job) => {
    const durationMs = (job.toMs ?? 0) - (job.fromMs ?? 0) + 1;
    const perHour = durationMs === walkForward.test ? a(job) - 2 : a(job);
    return report({ durationMs, pnl: { total: String((perHour * durationMs) / 3_600_000) } });
  };

  test("the best of each window is tested after it, and what is lost is warned about", async () => {
    const { result } = await run(sweep({ walkForward }), runJob);
    const windows = result.best.map(({ window }) => window);
    expect(windows).toEqual([1, 2, 3]);
    for (const best of result.best) {
      expect(best.values).toEqual([3, "x"]);
      expect(best.inSample).toBeCloseTo(3, 9);
      expect(best.outOfSample).toBeCloseTo(1, 9);
    }
    expect(result.decay).toBeCloseTo(2 / 3, 9);
    expect(result.warnings.join()).toContain("67 % of the pnl is lost");
    expect(result.rows.filter(({ phase }) => phase === "test")).toHaveLength(3);
  });

  test("a window whose test has no objective, such as one that never traded, counts among those that are not above 0", async () => {
    const { result } = await run(
      sweep({ walkForward, objective: "pnlPerDrawdown" }),
      async (job) => {
        const durationMs = (job.toMs ?? 0) - (job.fromMs ?? 0) + 1;
        const isTest = durationMs === walkForward.test;
        return report({ durationMs, maxDrawdown: isTest ? "0" : "1" });
      },
    );
    expect(result.best.map(({ outOfSample }) => outOfSample)).toEqual([null, null, null]);
    expect(result.warnings.join()).toContain(
      "Out of sample, 3 of 3 windows have no pnlPerDrawdown above 0.",
    );
  });

  test("no event of a test is at or before the end of its search and the purge", async () => {
    const spans = new Map<number, { fromMs: number; toMs: number }[]>();
    await run(sweep({ walkForward }), async (job) => {
      const { fromMs = 0, toMs = 0 } = job;
      const length = toMs - fromMs + 1;
      spans.set(length, [...(spans.get(length) ?? []), { fromMs, toMs }]);
      return report({ durationMs: length });
    });
    const tests = spans.get(walkForward.test) ?? [];
    const ends = [...new Set((spans.get(walkForward.train) ?? []).map(({ toMs }) => toMs))];
    expect(tests.map(({ fromMs }) => fromMs)).toEqual(
      ends.map((toMs) => toMs + 1 + walkForward.purge),
    );
  });

  test("windows that do not fit into any recording are an error", async () => {
    const long = { ...walkForward, train: 3_600_000 };
    await expect(run(sweep({ walkForward: long }), runJob)).rejects.toMatchObject({
      code: "WALK_FORWARD_TOO_LONG",
    });
  });
});

test("a run that failed is tried again at the next start, and a finished one is not", async () => {
  const store = new MemoryStore();
  const failed = { result: null, reason: "too many open files", warnings: [] };
  await run(sweep(), async (job) => (a(job) === 2 ? failed : report()), store);
  let count = 0;
  const again = async () => {
    count += 1;
    return report();
  };
  const { result } = await run(sweep(), again, store);
  expect(count).toBe(2);
  expect(result.rows.every(({ reason }) => reason === null)).toBe(true);
  await run(sweep(), again, store);
  expect(count).toBe(2);
});

test("a recording that is named twice is replayed once and counts twice", async () => {
  let count = 0;
  const { outcome, result } = await run(
    sweep({ recordings: [recording, recording] }),
    async (job) => {
      count += 1;
      return report({ pnl: { total: String(a(job)) } });
    },
  );
  expect(count).toBe(6);
  expect(outcome.progress).toEqual({ done: 12, total: 12, reused: 0 });
  expect(result.rows[4]?.measures).toMatchObject({ pnl: "6", volume: "2000", hours: 2 });
});

test("the page has every run, escapes what files say, and needs nothing from elsewhere", async () => {
  const { result } = await run(sweep(), async (job) =>
    report({ pnl: { total: String(a(job)) }, maxDrawdown: String(4 - a(job)) }),
  );
  const page = sweepPage(result);
  expect(page).toContain("&lt;y&gt;");
  expect(page).not.toContain("<y>");
  expect(page.match(/<tr>/g)).toHaveLength(2 + 6 + 1);
  expect(page.match(/<svg /g)).toHaveLength(3);
  expect(page).not.toMatch(/<script|https?:|src=|@import|url\(/);
});

test("the page has no column that no run uses, and none twice", async () => {
  const { result } = await run(sweep(), async (job) =>
    report({ pnl: { total: String(a(job)) }, maxDrawdown: String(4 - a(job)) }),
  );
  const tables = sweepPage(result)
    .split("<table>")
    .slice(1)
    .map((table) => [...table.matchAll(/<th>([^<]*)</g)].map(([, title]) => title));
  const titles = parameterTitles(result.parameters);
  expect(tables[0]?.slice(0, 2 + titles.length)).toEqual(["run", ...titles, "pnl per hour"]);
  expect(tables[1]).not.toContain("window");
  expect(tables[1]?.filter((title) => title === "pnl")).toHaveLength(1);
  expect(tables[1]).not.toContain("remark");
});

test("the page has a logarithmic axis where the search had one", async () => {
  const values = { kind: "range", from: 1, to: 100, unit: "", steps: 3, scale: "log" } as const;
  const parameters = [{ name: "a", paths: ["a"], values: { ...values, also: [] } }];
  const { result } = await run(sweep({ parameters }), async () => report());
  const charts = sweepPage(result).split("by parameter")[1] ?? "";
  const circles = charts.matchAll(/<circle class="\w+" cx="([\d.]+)"/g);
  const [low = 0, middle = 0, high = 0] = [...circles].map((found) => Number(found[1]));
  expect(middle - low).toBeCloseTo(high - middle, 0);
});

test("importance is the share of the differences that a parameter explains", async () => {
  const values = { kind: "list", values: [1, 2, 3] } as const;
  const noise = { kind: "list", values: [1, 2, 3, 4] } as const;
  const parameters = [
    { name: "a", paths: ["a"], values },
    { name: "b", paths: ["b"], values: noise },
  ];
  const { result } = await run(sweep({ parameters }), async (job) =>
    report({ pnl: { total: String(a(job) * 10) } }),
  );
  expect(result.importance).toEqual([1, 0]);
});
