import { describe, expect, test } from "vitest";
import { decimate } from "../../src/backtest/decimate.ts";
import { reportData } from "../../src/backtest/report-data.ts";
import { latencyOf, queueBins, spreadBins } from "../../src/backtest/report-figures.ts";
import { reportMarkdown } from "../../src/backtest/report-markdown.ts";
import { equityRow, fillOf, orderRow, reportDocument } from "./report-rows.ts";

describe("decimation", () => {
  test("keeps the first and the last row and every stretch's extremes", () => {
    const values = Array.from({ length: 10_000 }, (_, at) => (at === 4_321 ? 99 : at % 7));
    const kept = decimate(values, 100, [(value) => value]);
    expect(kept.length).toBeLessThanOrEqual(102);
    expect(kept).toContain(99);
    expect([kept[0], kept.at(-1)]).toEqual([values[0], values.at(-1)]);
    expect(decimate([3, 1, 2], 100, [(value) => value])).toEqual([3, 1, 2]);
  });
});

describe("the data of a report", () => {
  const day = 86_400;
  const equity = Array.from({ length: day / 4 }, (_, at) =>
    equityRow({
      timeMs: at * 4_000,
      mid: String(60_000 + Math.sin(at / 500) * 700),
      pnl: String(Math.cos(at / 300) * 123.456789),
      drawdown: at === 12_345 ? "500.5" : "1.25",
    }),
  );
  const fills = Array.from({ length: 100_000 }, (_, at) =>
    fillOf({ timeMs: at * 864, side: at % 2 === 0 ? "BUY" : "SELL", price: "60000.5" }),
  );
  const data = reportData(reportDocument(), { equity, fills, orders: [], markouts: [] });
  const [strategy] = data.strategies;

  test("is below 2 MB for a day with a row every 4 s and 100,000 fills", () => {
    expect(JSON.stringify(data).length).toBeLessThan(2e6);
    expect(strategy?.timesMs.length).toBeLessThanOrEqual(8_002);
  });

  test("has the deepest fall, and every fill in some marker", () => {
    const falls = strategy?.underwater.map((fall) => fall ?? 0) ?? [];
    expect(Math.min(...falls)).toBe(-500.5);
    expect(falls).toHaveLength(strategy?.timesMs.length ?? 0);
    const markers = strategy?.fills ?? [];
    expect(markers.length).toBeLessThan(4_010);
    expect(markers.reduce((sum, { count }) => sum + count, 0)).toBe(100_000);
    expect(markers.reduce((sum, { quantity }) => sum + quantity, 0)).toBeCloseTo(50_000, 4);
    expect(markers.every(({ price }) => price === 60_000.5)).toBe(true);
  });

  test("has one marker a fill when there are few", () => {
    const few = [fillOf({ timeMs: 5, quantity: "0.25" }), fillOf({ timeMs: 5, side: "SELL" })];
    const tables = { equity: [], fills: few, orders: [], markouts: [] };
    expect(reportData(reportDocument(), tables).strategies[0]?.fills).toEqual([
      { timeMs: 5, isBuy: true, price: 100, quantity: 0.25, count: 1 },
      { timeMs: 5, isBuy: false, price: 100, quantity: 0.5, count: 1 },
    ]);
  });
});

describe("distributions and quantiles", () => {
  test("spreads are shares of time, without the rows of fills", () => {
    const rows = [
      equityRow({ timeMs: 0, bid: "99.99", ask: "100.01", ownBid: "99", ownAsk: "101" }),
      equityRow({ timeMs: 1, bid: "99", ask: "101" }),
      equityRow({ timeMs: 2, bid: "99.995", ask: "100.005" }),
    ];
    expect(spreadBins(rows, [fillOf({ timeMs: 1 })])).toEqual([
      { label: "≤ 1", one: 0.5, other: 0 },
      ...[1, 1.2, 1.4, 1.6].map((start, at) => ({
        label: `${start} – ${[1.2, 1.4, 1.6, 1.8][at]}`,
        one: 0,
        other: 0,
      })),
      { label: "1.8 – 2", one: 0.5, other: 0 },
      { label: "2 – 200", one: 0, other: 1 },
    ]);
  });

  test("a narrow spread of the own quotes far from the recorded one has bins of its own", () => {
    const rows = Array.from({ length: 100 }, (_, at) => {
      const half = (0.24 + 0.0001 * (at % 40)) / 2;
      return equityRow({
        timeMs: at,
        bid: "99.999",
        ask: "100.001",
        ownBid: String(100 - half),
        ownAsk: String(100 + half),
      });
    });
    const bins = spreadBins(rows, []);
    expect(bins.filter(({ other }) => other > 0).length).toBeGreaterThanOrEqual(6);
    expect(bins.filter(({ one }) => one > 0)).toEqual([{ label: "≤ 0.2", one: 1, other: 0 }]);
    expect(bins.map(({ label }) => label)).toContain("24.1 – 24.15");
    expect(bins.reduce((sum, { other }) => sum + other, 0)).toBeCloseTo(1);
  });

  test("a spread that is always one tick has one bin with a round end, however the mid moves", () => {
    const rows = Array.from({ length: 200 }, (_, at) =>
      equityRow({ timeMs: at, bid: "61815.99", ask: "61816", mid: String(61_790 + at / 4) }),
    );
    expect(spreadBins(rows, [])).toEqual([{ label: "≤ 0.0017", one: 1, other: 0 }]);
  });

  test("queues are in sizes of the order, of all orders and of those that were filled", () => {
    const orders = [
      orderRow({ queueAhead: "0", firstFillMs: 9 }),
      orderRow({ queueAhead: "1", firstFillMs: 9 }),
      orderRow({ queueAhead: "0.4" }),
      orderRow({ queueAhead: null }),
      orderRow({ queueAhead: "1" }),
    ];
    // The order's size is 0.5.
    expect(queueBins(orders)).toEqual([
      { label: "0", one: 0.25, other: 0.5 },
      { label: "0 – 1", one: 0.25, other: 0 },
      { label: "1 – 2", one: 0.5, other: 0.5 },
    ]);
    expect(queueBins([])).toEqual([]);
  });

  test("latencies are between the times of each order that has both", () => {
    const orders = [10, 20, 30].map((ms) => orderRow({ enteredMs: 1_000 + ms }));
    const { entry, firstFill } = latencyOf([...orders, orderRow({})]);
    expect(entry).toEqual({ p50: 20, p99: 30, max: 30 });
    expect(firstFill).toEqual({ p50: null, p99: null, max: null });
  });
});

test("a report has the steps of the risk ladder, with text that cannot hide anything", () => {
  const riskSteps = [
    {
      atMs: 61_000,
      strategy: "maker",
      trigger: "drawdown",
      step: "pause",
      message: "lost 5 \u202e",
    },
    { atMs: 62_000, strategy: null, trigger: "rejectionRate", step: "halt", message: "3 a minute" },
  ] as const;
  const tables = { equity: [], fills: [], orders: [], markouts: [] };
  const data = reportData(reportDocument({ riskSteps }), tables);
  expect(data.document.riskSteps?.map(({ message }) => message)).toEqual([
    "lost 5  ",
    "3 a minute",
  ]);
  const text = reportMarkdown(data);
  expect(text).toContain("## Risk ladder");
  expect(text).toContain("| 1970-01-01 00:01:01 | pause | drawdown | maker: lost 5   |");
  expect(text).toContain("| 1970-01-01 00:01:02 | halt | rejectionRate | 3 a minute |");
  expect(reportMarkdown(reportData(reportDocument(), tables))).not.toContain("Risk ladder");
});

test("a Markdown report has the mean position with eight decimals at most", () => {
  const { inventoryStatistics } = reportDocument();
  if (inventoryStatistics === null) throw new Error("the document has them");
  const document = reportDocument({
    inventoryStatistics: { ...inventoryStatistics, mean: "22954.337729917614523072" },
  });
  const data = reportData(document, { equity: [], fills: [], orders: [], markouts: [] });
  expect(reportMarkdown(data)).toContain("mean 22954.33772991, -0.5 to 0.5");
});

test("text from outside is text in a Markdown report", () => {
  const evil =
    "<img src=x onerror=alert(1)> | [a](javascript:b) `c` **d**\n# e \u202e> $f$ https://g.h WWW.i.j";
  const document = reportDocument({ warnings: [evil] });
  const data = reportData(document, { equity: [], fills: [], orders: [], markouts: [] });
  const lines = reportMarkdown(data).split("\n");
  const line = lines.find((one) => one.includes("img"));
  expect(line).toBe(
    "- &lt;img src=x onerror=alert(1)\\> \\| \\[a\\](javascript:b) \\`c\\` \\*\\*d\\*\\* \\# e  \\> \\$f\\$ https\\://g.h WWW\\.i.j",
  );
});
