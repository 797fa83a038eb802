import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { unplayedWarnings } from "../../src/backtest/unplayed-warnings.ts";
import { openAllCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import { importRecording } from "../../src/recordings/import.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testMarket } from "../support/exchange.ts";

const startMs = 1_735_689_600_000;

/** A recording of a trade a second for 100 s, of which the first ones have no price. */
function recorded(bad: number) {
  const rows = Array.from({ length: 101 }, (_, n) => {
    const us = (startMs + n * 1000) * 1000;
    return `x,ETHUSDT,${us},${us},${n},buy,${n < bad ? "none" : 10},1`;
  });
  const folder = temporaryFolder();
  const file = path.join(folder, "trades.csv");
  writeFileSync(
    file,
    ["exchange,symbol,timestamp,local_timestamp,id,side,price,amount", ...rows].join("\n"),
  );
  const out = path.join(folder, "recording");
  importRecording(io, { format: "tardis", files: [file], out });
  return runAll(openAllCompiled(new Recording(io, out), () => undefined));
}

function warnings(
  bad: number,
  seconds: readonly [from: number, to: number],
  wantedFromMs?: number,
) {
  const source = recorded(bad);
  const [from, to] = seconds.map((second) => startMs + second * 1000);
  const time = { wantedFromMs, wantedToMs: undefined, startMs: from ?? 0, stopMs: to ?? 0 };
  const found = unplayedWarnings(source, [{ market: testMarket(), recordedId: "ETH_USDT" }], time);
  source.close();
  return found;
}

test("a replay of nearly all of a recording has nothing to say", () => {
  expect(warnings(5, [5, 100])).toEqual([]);
});

test("a replay that plays a part of the time says how much", () => {
  expect(warnings(0, [0, 60])).toEqual([
    "only 60.0 s of the recorded 100.0 s were played (60%), from 2025-01-01T00:00:00.000Z to 2025-01-01T00:01:00.000Z.",
  ]);
  // The user wanted no more.
  expect(warnings(0, [40, 100], startMs + 40_000)).toEqual([]);
});

test("a replay that leaves out many rows says how many", () => {
  expect(warnings(10, [0, 100])).toEqual([
    "10 of 101 recorded rows of ETH_USDT are left out (9.9%): `touchline recording check` names their defects.",
  ]);
});
