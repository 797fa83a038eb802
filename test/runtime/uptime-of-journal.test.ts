import { expect, test } from "vitest";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { foldAccount } from "../../src/cli/account-journal.ts";
import { statementOf } from "../../src/cli/statement.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { tableRows } from "../../src/journal/journal-tables.ts";
import { entriesOfRun, listRuns } from "../../src/journal/segments.ts";
import { AccountFold } from "../../src/metrics/account-fold.ts";
import type { Summary } from "../../src/metrics/summary.ts";
import { dayOf } from "../../src/orders/day-start.ts";
import { expectVerified, liveWorld, stopped, strategiesOf, type World } from "./live-world.ts";

/** One strategy with an obligation, and one that wants bids only. */
function settings() {
  const written = { bidSpread: "0.1%", askSpread: "0.1%", size: "0.5", levels: 1 };
  return {
    strategies: strategiesOf([{ name: "maker" }, { name: "buyer" }]).map((one) => {
      const isMaker = one.name === "maker";
      const own = isMaker ? written : { ...written, sides: "bids" };
      const params = pureMarketMaking.params.parse(own);
      const obligation = isMaker ? { spread: 0.01, size: fixed("0.3") } : undefined;
      return { ...one, params, writtenParams: own, obligation };
    }),
  };
}

function opened({ store }: World) {
  const runs = listRuns(store, "journal");
  const none = {
    folder: "journal",
    markets: [],
    symbols: new Map(),
    currency: undefined,
    strategies: [],
  };
  return { ...none, store, runs };
}

function statement(world: World) {
  const fold = new AccountFold();
  const account = opened(world);
  foldAccount(account, fold);
  return statementOf(fold, dayOf(world.clock.nowMs()), account);
}

function exported(world: World) {
  const { store, runs } = opened(world);
  return runs.map((run, at) => [...tableRows("uptime", at + 1, entriesOfRun(store, run))]);
}

function sharesOf(
  rows: readonly Partial<Record<"uptimeBid" | "uptimeAsk" | "uptimeObligation", unknown>>[],
) {
  return rows.map(({ uptimeBid, uptimeAsk, uptimeObligation }) => ({
    uptimeBid,
    uptimeAsk,
    uptimeObligation,
  }));
}

function ofSummary({ strategies = [] }: Summary) {
  return sharesOf(strategies);
}

test("the statement and the export have the uptime of the summary, also after an outage that is noticed late", async () => {
  const world = await liveWorld(5);
  const first = await world.start(settings());
  await world.clock.runFor(20_000);
  world.network.faults.frozen = true;
  await world.clock.runFor(15_000);
  world.network.faults.frozen = false;
  await world.clock.runFor(20_000);
  const { summary } = await stopped(world, first);
  const [maker, buyer] = ofSummary(summary);
  for (const share of Object.values(maker ?? {})) {
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.9);
  }
  expect(buyer).toMatchObject({ uptimeAsk: null, uptimeObligation: null });
  expect(sharesOf(exported(world)[0] ?? [])).toEqual(ofSummary(summary));
  const { positions, ranMs, spanMs } = statement(world);
  expect(sharesOf(positions)).toEqual(ofSummary(summary));
  expect(ranMs).toBe(spanMs);

  await world.clock.runFor(30_000);
  const second = await world.start(settings());
  await world.clock.runFor(10_000);
  const end = await stopped(world, second);
  expect(sharesOf(exported(world)[1] ?? [])).toEqual(ofSummary(end.summary));
  // The time without a bot counts in the statement of the day.
  const day = statement(world);
  expect(day.ranMs).toBeLessThan(day.spanMs - 30_000);
  expect(day.positions[0]?.uptimeBid).toBeLessThan(Number(end.summary.strategies?.[0]?.uptimeBid));
  await expectVerified(world);
});
