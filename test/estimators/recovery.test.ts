import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Recovery, recoveries } from "./simulated-samples.ts";

const RUNS = 200;

interface Row {
  readonly name: string;
  readonly samples: string;
  readonly truth: number;
  /** Mean error, and its own standard error. */
  readonly bias: number;
  readonly biasError: number;
  readonly deviation: number;
  readonly coverage: number;
}

function measured({ samples, truths, run }: Recovery): Row[] {
  const found = Array.from({ length: RUNS }, (_, seed) => run(seed));
  return truths.map(({ name, truth }, at) => {
    const each = found.map((row) => row[at] ?? [Number.NaN, Number.NaN]);
    const bias = each.reduce((sum, [value]) => sum + value - truth, 0) / RUNS;
    const squares = each.reduce((sum, [value]) => sum + (value - truth - bias) ** 2, 0);
    const deviation = Math.sqrt(squares / (RUNS - 1));
    const within = each.filter(([value, error]) => Math.abs(value - truth) <= 1.96 * error);
    const biasError = deviation / Math.sqrt(RUNS);
    return { name, samples, truth, bias, biasError, deviation, coverage: within.length / RUNS };
  });
}

const rows = recoveries.flatMap(measured);

describe("known parameters of simulated samples", () => {
  test.each(rows)("$name finds $truth, and its standard error is right", (row) => {
    // Estimates of a ratio or a root lean by a share of their variance.
    expect(Math.abs(row.bias)).toBeLessThan(3 * row.biasError + 0.01 * Math.abs(row.truth));
    expect(row.coverage).toBeGreaterThan(0.9);
    expect(row.coverage).toBeLessThan(0.99);
  });

  test("the table of docs/estimators.md has them (UPDATE_DOCS=1 writes it)", () => {
    const file = new URL("../../docs/estimators.md", import.meta.url);
    const text = readFileSync(file, "utf8");
    const block = /(<!-- recovery: [^\n]* -->\n)[^]*?(<!-- end -->)/;
    expect(text).toMatch(block);
    const wanted = text.replace(block, (_, head: string, tail: string) => head + table() + tail);
    if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
    expect(readFileSync(file, "utf8")).toBe(wanted);
  });
});

function table(): string {
  const number = (value: number) => String(Number(value.toPrecision(2)));
  const share = (value: number, truth: number) => `${number((100 * value) / Math.abs(truth))}%`;
  return [
    "| estimator | simulated samples | truth | bias | standard deviation | coverage |",
    "|---|---|---|---|---|---|",
    ...rows.map(
      ({ name, samples, truth, bias, deviation, coverage }) =>
        `| ${name} | ${samples} | ${truth} | ${share(bias, truth)} | ${share(deviation, truth)} | ${number(100 * coverage)}% |`,
    ),
    "",
  ].join("\n");
}
