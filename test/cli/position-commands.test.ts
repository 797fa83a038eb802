import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { limitUsed } from "../../src/cli/commands/position-show.ts";
import { type MarketId, tokenId } from "../../src/domain/ids.ts";
import { addFixed, fixed, fixedText } from "../../src/domain/fixed.ts";
import { unixMs } from "../../src/domain/time.ts";
import { adjustJournal } from "../../src/journal/adjust.ts";
import type { CarriedItem, CarriedPosition } from "../../src/orders/carried.ts";
import { flatPosition } from "../../src/orders/position-book.ts";
import { createStore } from "../../src/platform/store.ts";
import { Journal } from "../../src/journal/journal.ts";
import { restore } from "../../src/journal/restore.ts";
import { startPaperVenue } from "../../src/sdk/paper-venue.ts";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import { botYaml, ENV_KEY_ACCOUNT } from "../support/bot-yaml.ts";
import { idOf, place } from "../journal/journal-fixture.ts";
import { type Ran, runLine } from "./run-line.ts";
import { PATIENCE } from "../support/patience.ts";

/** `position show|set|reset` on the journal of a bot that has run against a venue. */

const env = { TOUCHLINE_KEY: `0x${"61".repeat(32)}` };
let paper: RunningVenue;
let folder = "";
let config = "";
beforeAll(async () => {
  paper = await startPaperVenue({ config: { flow: "none" } });
  folder = mkdtempSync(path.join(tmpdir(), "touchline-position-"));
  config = path.join(folder, "bot.yaml");
  const account = `${ENV_KEY_ACCOUNT}\nrisk: { maxPosition: 2 }\nlog: { level: error }`;
  writeFileSync(config, botYaml({ venue: paper, account }));
});
afterAll(async () => {
  await paper.close();
  rmSync(folder, { recursive: true, force: true });
});

function type(line: string): Promise<Ran> {
  return runLine([...line.split(" "), "--json"], env);
}

function run(): Promise<Ran> {
  const durationMs = Math.ceil(performance.now()) + 2_000;
  return type(`run ${config} --duration ${durationMs}ms`);
}

test("there is nothing to show before the first run", async () => {
  expect(await type(`position show ${config}`)).toMatchObject({
    code: 1,
    events: [{ event: "error", code: "JOURNAL_MISSING" }],
  });
});

test("a position that is set begins the next run, and the journal still re-runs", async () => {
  expect(await run()).toMatchObject({ code: 0, events: [{}, { position: { base: "0" } }] });
  const set = await type(`position set ${config} --base 1.5 --price 2000`);
  expect(set).toMatchObject({
    code: 0,
    events: [
      { event: "position.set", market: "1_2", base: "1.5", averagePrice: "2000", realisedPnl: "0" },
    ],
  });
  expect(set.events[0]).toMatchObject({
    before: { base: "0", averagePrice: null },
    inQuestion: [],
  });
  expect(set.err).toBe("");
  expect(await run()).toMatchObject({
    code: 0,
    events: [
      {},
      { inventory: { "1": "0", "2": "0" }, position: { base: "1.5", averagePrice: "2000" } },
    ],
  });
  for (const number of [1, 2]) {
    const journal = path.join(folder, "journal");
    const line = `journal verify ${journal} --run ${number} --config ${config}`;
    expect(await type(line)).toMatchObject({ code: 0, events: [{ identical: true }] });
  }
  const listed = await type(`journal show ${path.join(folder, "journal")} --run 1 --limit 99999`);
  expect(listed.events.at(-1)).toMatchObject({ type: "adjusted", adjusted: { items: [{}] } });
});

test("a changed position is no loss: the risk ladder counts anew, and keeps its steps", async () => {
  const journal = path.join(folder, "journal");
  const store = createStore();
  const rungs = [{ trigger: "dayLoss", step: "halt", sinceMs: 1 }] as const;
  const baseline = { day: 1, dayStart: "0", peak: "5" };
  const of = (market: string) => ({ ...baseline, markets: [market as MarketId] });
  await adjustJournal(
    store,
    journal,
    [
      { type: "risk", rungs, baseline: of("1_2") },
      { type: "risk", strategy: "maker", rungs, baseline: of("1_2") },
      { type: "risk", strategy: "other", rungs, baseline: of("1_2") },
    ],
    unixMs(1),
  );
  expect(await type(`position set ${config} --base 1.5 --price 2000`)).toMatchObject({ code: 0 });
  const { carried } = restore(store, journal).restored;
  const ladders = carried.filter((item) => item.type === "risk");
  expect(ladders).toEqual([
    { type: "risk", rungs },
    { type: "risk", strategy: "maker", rungs },
    { type: "risk", strategy: "other", rungs, baseline: of("1_2") },
  ]);
});

test("shows positions beside the balances, those of a strategy that is gone included", async () => {
  const old = { ...flatPosition("old", "1_2" as MarketId), base: "-0.5", quote: "900" };
  const nowMs = unixMs(Date.now());
  const journal = path.join(folder, "journal");
  await adjustJournal(createStore(), journal, [{ ...old, cost: "-900" }], nowMs);
  const shown = await type(`position show ${config}`);
  expect(shown.code, shown.err).toBe(0);
  expect(shown.events[0]).toMatchObject({
    event: "position.show",
    paused: false,
    halted: null,
    positions: [
      { base: "1.5", configured: true, limits: { maxPosition: "2", position: "1" } },
      { strategy: "old", base: "-0.5", averagePrice: "1800", configured: false },
    ],
    balances: [{ token: "1", positions: "1" }],
  });
  const one = await type(`position show ${config} --strategy old`);
  expect(one.events[0]?.["positions"]).toHaveLength(1);
  const { out } = await runLine(["position", "show", config], env);
  expect(out).toMatch(/The account holds \S+ ETH; the positions are 1\./);
  const inQuote = await runLine(
    ["position", "show", config, "--set", "risk.maxPosition={quote: 20000}"],
    env,
  );
  expect(inQuote.out, "the venue's book is empty").toContain(" unknown of 20000 quote");
  const limits = { maxPosition: { quote: fixed("20000") }, position: "4.99" };
  expect(limitUsed(limits, 2000)).toBe("9980.00 of 20000 quote");
  expect(await type(`position show ${config} --strategy none`)).toMatchObject({ code: 2 });
  const away = await type(`position show ${config} --set venue.rest=http://127.0.0.1:9`);
  expect(away).toMatchObject({ code: 0, events: [{ balances: null }] });
  expect(away.err).toContain("cannot be reached");
});

test("a position is chosen by name, and reset", async () => {
  const unnamed = await type(`position reset ${config}`);
  expect(unnamed).toMatchObject({ code: 2, events: [{ code: "USAGE" }] });
  const reset = await type(`position reset ${config} --strategy old`);
  expect(reset).toMatchObject({
    code: 0,
    events: [{ event: "position.reset", strategy: "old", base: "0", before: { base: "-0.5" } }],
  });
});

test.each(["trades", "position show", "position export", "position reset", "flatten"])(
  "%s names the strategies there are where it is given another one",
  async (command) => {
    const refused = await type(`${command} ${config} --strategy nope`);
    expect(refused).toMatchObject({ code: 2, events: [{ event: "error", code: "USAGE" }] });
    expect(refused.err).toMatch(/maker/);
  },
);

test("nothing is set while the bot runs", async () => {
  const store = createStore();
  const journal = path.join(folder, "journal");
  expect(store.lock(journal)).toBe(true);
  for (const line of ["set --base 0", "reset"]) {
    const [word, ...rest] = line.split(" ");
    const ran = await type(["position", word, config, "--strategy", "old", ...rest].join(" "));
    expect(ran).toMatchObject({ code: 1, events: [{ code: "JOURNAL_LOCKED" }] });
  }
  store.unlock(journal);
});

test("shows derived limits, steps of the risk ladder and left markets, as the next run has them", async () => {
  const unlimited = path.join(folder, "unlimited.yaml");
  writeFileSync(unlimited, botYaml({ venue: paper, account: ENV_KEY_ACCOUNT }));
  const market = "1_2" as MarketId;
  const rungs = [
    { trigger: "dayLoss", step: "halt", sinceMs: 1 },
    { trigger: "rejects", step: "pause", sinceMs: 1 },
  ] as const;
  await adjustJournal(
    createStore(),
    path.join(folder, "journal"),
    [
      {
        type: "limit",
        limit: "maxPosition",
        marketId: market,
        quoteToken: tokenId("2"),
        value: "9",
      },
      { type: "risk", rungs },
      { type: "left", marketId: market, reason: "a fill that cannot be" },
    ],
    unixMs(Date.now()),
  );
  const shown = await type(`position show ${unlimited}`);
  expect(shown.events[0]).toMatchObject({
    // The file has no trigger of rejects, so the next run forgets that step.
    riskSteps: [{ strategy: null, trigger: "dayLoss", step: "halt" }],
    leftMarkets: [{ market: "1_2", reason: "a fill that cannot be" }],
    positions: [{ limits: { maxPosition: "9" } }, {}],
  });
  const set = await type(`position show ${config}`);
  expect(set.events[0]).toMatchObject({ positions: [{ limits: { maxPosition: "2" } }, {}] });
  const inQuote = `position show ${unlimited} --set risk.maxPosition.quote=500`;
  expect((await type(inQuote)).events[0]).toMatchObject({
    positions: [{ limits: { maxPosition: { quote: "500" } } }, {}],
  });
  const { out } = await runLine(inQuote.split(" "), env);
  expect(out).toContain("of 500 quote");
  const off = await type(`position show ${unlimited} --set risk.maxPosition=null`);
  expect(off.events[0]).toMatchObject({ positions: [{ limits: { maxPosition: null } }, {}] });
});

test("refuses an open position that cost nothing", async () => {
  for (const price of ["0", "-1"]) {
    const set = await type(`position set ${config} --strategy maker --base 1 --price=${price}`);
    expect(set).toMatchObject({ code: 2, events: [{ event: "error", code: "USAGE" }] });
  }
});

test("the orders are named whose executions the next start books on top of what is set", async () => {
  const store = createStore();
  const journal = path.join(folder, "journal");
  const { header, restored } = restore(store, journal);
  if (header === undefined) throw new Error("no run");
  const killed = new Journal({ store, folder: journal, header, restored });
  const others = { ...place(2), strategy: "old" };
  killed.append({
    batch: { seq: 1, nowMs: unixMs(1), inputs: [] },
    effects: [place(1), others],
    signed: [1, 2].map((intent) => ({ intent, txHash: idOf(intent), bytesHex: "0x" })),
    ended: [],
    booked: [],
  });
  await killed.close();
  const line = `position set ${config} --strategy maker --base 1 --price 2000`;
  const set = await type(line);
  expect(set).toMatchObject({ code: 0, events: [{ base: "1", inQuestion: [idOf(1)] }] });
  expect(set.err).toContain(`1 order of maker in 1_2`);
  expect(set.err).toContain(idOf(1));
  expect(set.err).not.toContain(idOf(2));
  const reset = await type(`position reset ${config} --strategy old`);
  expect(reset).toMatchObject({ code: 0, events: [{ base: "0", inQuestion: [idOf(2)] }] });
  expect(reset.err).toContain(idOf(2));
});

test("a strategy moves to another bot with its position, unless it holds one there or is still quoted, and no export or trade is taken twice", async () => {
  const other = path.join(folder, "other", "bot.yaml");
  mkdirSync(path.dirname(other));
  const account = `${ENV_KEY_ACCOUNT}\nlog: { level: error }`;
  writeFileSync(other, botYaml({ venue: paper, account }));
  const durationMs = Math.ceil(performance.now()) + 2_000;
  expect((await type(`run ${other} --duration ${durationMs}ms`)).code).toBe(0);
  expect(
    await type(`position set ${config} --strategy maker --base 1.5 --price 2000`),
  ).toMatchObject({
    code: 0,
  });
  let ended = (): void => undefined;
  const running = runLine(
    ["run", config, "--json"],
    env,
    new Promise<void>((resolve) => (ended = resolve)),
  );
  const line = `position export ${config} --strategy maker`;
  const quoted = await vi.waitFor(async () => {
    const refused = await type(line);
    expect(refused.code).toBe(1);
    return refused;
  }, PATIENCE);
  expect(quoted.events).toMatchObject([{ code: "STILL_QUOTED" }]);
  // A bot that is starting does not halt one strategy.
  await vi.waitFor(async () => {
    const halted = await type(`halt ${config} --strategy maker`);
    expect(halted.code, halted.err).toBe(0);
  }, PATIENCE);
  const halted = await runLine(line.split(" "), env);
  expect(halted.code, halted.err).toBe(0);
  ended();
  await running;
  const store = createStore();
  const [held] = JSON.parse(halted.out).positions as readonly CarriedPosition[];
  if (held === undefined) throw new Error("no position");
  const sent = { ...held, day: 20_000, dayStart: "-40", peak: "3" };
  const { day, dayStart, peak, quote } = sent;
  await adjustJournal(store, path.join(folder, "journal"), [sent], unixMs(Date.now()));
  const exported = await runLine(line.split(" "), env);
  expect(exported.code, exported.err).toBe(0);

  const file = path.join(folder, "exported.json");
  const take = `position import ${other} ${file} --strategy maker`;
  writeFileSync(file, exported.out.replace('"1.5"', '"150000"'));
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "EXPORT_CHANGED" }] });
  writeFileSync(file, exported.out);
  const journal = path.join(folder, "other", "journal");
  const marketId = "1_2" as MarketId;
  const carry = (...items: readonly CarriedItem[]) =>
    adjustJournal(store, journal, items, unixMs(Date.now()));
  const lost = { ...flatPosition("maker", marketId), quote: "-3000", fees: { "2": "7" } };
  const risk = (of: number) => {
    const baseline = { day: of, dayStart: "100", peak: "200", markets: [marketId] };
    return { type: "risk", rungs: [], baseline } as const;
  };
  // What the position was worth when the next day began is not known here.
  await carry({ ...lost, day: day + 1, dayStart: "0" });
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "PNL_NOT_ADDED" }] });
  await carry({ ...lost, base: "1" });
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "POSITION_EXISTS" }] });
  await carry({ ...lost, day, dayStart: "0" }, risk(day + 1));
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "PNL_NOT_ADDED" }] });
  await carry(risk(day));
  expect(await type(take)).toMatchObject({
    code: 0,
    events: [
      {
        event: "position.import",
        base: "1.5",
        averagePrice: "2000",
        realisedPnl: "-3000",
        fees: { "2": "7" },
      },
    ],
  });
  const { carried } = restore(store, journal).restored;
  const sum = (...amounts: readonly string[]) =>
    fixedText(amounts.map(fixed).reduce((left, right) => addFixed(left, right)));
  expect(carried.find((item) => item.type === "position")).toMatchObject({
    quote: sum("-3000", quote),
    day,
    dayStart,
  });
  const limit = { dayStart: sum("100", dayStart), peak: sum("200", peak) };
  expect(carried.find((item) => item.type === "risk")).toMatchObject({ baseline: limit });
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "EXPORT_IMPORTED" }] });
  // As when it has traded back to flat.
  expect(await type(`position set ${other} --base 0`)).toMatchObject({ code: 0 });
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "EXPORT_IMPORTED" }] });
  expect(await type(`position reset ${other}`)).toMatchObject({ code: 0 });
  expect(await type(take)).toMatchObject({ code: 0 });
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "EXPORT_IMPORTED" }] });
  const book = `position book ${other} --side buy --size 0.1 --price 2000 --tx 0xa1`;
  expect(await type(book)).toMatchObject({ code: 0 });
  expect(await type(book)).toMatchObject({ code: 1, events: [{ code: "TRADE_BOOKED" }] });
  // Also when `journal.keep` has deleted the segment of both.
  const againMs = Math.ceil(performance.now()) + 2_000;
  expect((await type(`run ${other} --duration ${againMs}ms`)).code).toBe(0);
  const segments = store.list(journal).filter((name) => /^\d+\./.test(name));
  expect(segments.length).toBeGreaterThan(1);
  for (const name of segments.slice(0, -1)) store.remove(`${journal}/${name}`);
  expect(await type(book)).toMatchObject({ code: 1, events: [{ code: "TRADE_BOOKED" }] });
  expect(await type(take)).toMatchObject({ code: 1, events: [{ code: "EXPORT_IMPORTED" }] });
  writeFileSync(file, "{}");
  expect(await type(take)).toMatchObject({ code: 2 });
});
