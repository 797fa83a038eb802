import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { Prng } from "../../src/base/prng.ts";
import { Decimal } from "../../src/domain/decimal.ts";
import { avellanedaStoikov } from "../../strategies/avellaneda-stoikov.ts";
import { paperMarket, type PaperResult } from "./avellaneda-paper.ts";

test("before rounding, the quotes are eq. 29 and 30 computed with 40 digits", () => {
  const prng = new Prng(8);
  const Exact = Decimal.clone({ precision: 40 });
  for (let round = 0; round < 500; round += 1) {
    const [mid, left] = [100 * prng.exponential(1), prng.int(1, 100_000)];
    const [inventory, sigma, k, gamma] = [
      20 * prng.normal(),
      0.01 * prng.exponential(1),
      prng.exponential(2),
      0.01 * prng.exponential(1),
    ];
    const model = { volatility: sigma, rate: 1, decay: k };
    const { bid, ask } = avellanedaStoikov(
      { mid, inventory, size: 1, model },
      { riskAversion: gamma, secondsLeft: left },
    );
    const risk = new Exact(sigma).pow(2).times(gamma).times(left);
    const centre = new Exact(mid).minus(risk.times(inventory));
    const log = new Exact(gamma).div(k).plus(1).ln();
    const half = risk.plus(log.times(2).div(gamma)).div(2);
    const scale = 1e-9 * Math.max(1, Math.abs(centre.toNumber()), half.toNumber());
    expect(Math.abs(bid - centre.minus(half).toNumber())).toBeLessThan(scale);
    expect(Math.abs(ask - centre.plus(half).toNumber())).toBeLessThan(scale);
  }
});

test("orders of another size are the paper's in units of that size", () => {
  const settings = { riskAversion: 0.3, secondsLeft: 7 };
  const [size, volatility, decay] = [0.25, 2, 1.5];
  const ours = avellanedaStoikov(
    { mid: 100, inventory: 3, size, model: { volatility, decay, rate: 1 } },
    settings,
  );
  // A unit is worth a quarter: so are prices and their moves, and a unit of price is four times as far.
  const units = { volatility: volatility * size, decay: decay / size, rate: 1 };
  const paper = avellanedaStoikov(
    { mid: 100 * size, inventory: 3 / size, size: 1, model: units },
    settings,
  );
  expect(ours.bid * size).toBeCloseTo(paper.bid, 10);
  expect(ours.ask * size).toBeCloseTo(paper.ask, 10);
});

describe("the simulation of the paper's section 3.3", () => {
  const PATHS = 10_000;
  const model = { volatility: 2, rate: 140, decay: 1.5 };
  const results = [0.1, 0.01, 0.5].map((gamma) => {
    const quotes = (mid: number, inventory: number, secondsLeft: number) =>
      avellanedaStoikov({ mid, inventory, size: 1, model }, { riskAversion: gamma, secondsLeft });
    const inventory = paperMarket(quotes, PATHS, 1);
    const half = inventory.spread / 2;
    const around = (mid: number) => ({ bid: mid - half, ask: mid + half });
    return { gamma, inventory, symmetric: paperMarket(around, PATHS, 1) };
  });

  test("has the spread, profit and inventory that an independent run had for γ = 0.1", () => {
    const [first] = results;
    expect(first?.inventory.spread).toBeCloseTo(1.49, 2);
    expect(first?.inventory.profit).toBeCloseTo(64.9, 0);
    expect(first?.inventory.profitDeviation).toBeCloseTo(6.6, 0);
    expect(first?.inventory.inventoryDeviation).toBeCloseTo(2.9, 0);
    expect(first?.symmetric.profit).toBeCloseTo(68, 0);
    expect(first?.symmetric.profitDeviation).toBeCloseTo(13.2, 0);
    expect(first?.symmetric.inventoryDeviation).toBeCloseTo(8.3, 0);
  });

  test.each(results)(
    "with γ = $gamma gives up profit for less risk",
    ({ inventory, symmetric }) => {
      expect(inventory.profit).toBeLessThan(symmetric.profit);
      expect(inventory.profitDeviation).toBeLessThan(symmetric.profitDeviation);
      expect(inventory.inventoryDeviation).toBeLessThan(symmetric.inventoryDeviation);
    },
  );

  test("its table is in the document (UPDATE_DOCS=1 writes it)", () => {
    const file = new URL("../../docs/strategies/avellaneda-stoikov.md", import.meta.url);
    const text = readFileSync(file, "utf8");
    const block = /(<!-- simulation: [^\n]* -->\n)[^]*?(<!-- end -->)/;
    expect(text).toMatch(block);
    const row = (gamma: number, name: string, result: PaperResult) =>
      `| ${gamma} | ${name} | ${result.spread.toFixed(2)} | ${result.profit.toFixed(1)} ± ${result.profitDeviation.toFixed(1)} | ${result.inventoryDeviation.toFixed(1)} |`;
    const table = [
      "| γ | quotes | spread | profit | deviation of the final inventory |",
      "|---|---|---|---|---|",
      ...results.flatMap(({ gamma, inventory, symmetric }) => [
        row(gamma, "moved by inventory", inventory),
        row(gamma, "around the mid", symmetric),
      ]),
      "",
    ].join("\n");
    const wanted = text.replace(block, (_, head: string, tail: string) => head + table + tail);
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
    expect(readFileSync(file, "utf8")).toBe(wanted);
  });
});
