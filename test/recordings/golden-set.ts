import {
  type AppliedDepth,
  type CheckLine,
  checkpointOf,
  checkRecording,
} from "../../src/recordings/check.ts";
import { defectNames } from "../../src/recordings/defect.ts";
import { openCompiled } from "../../src/recordings/columns/compiled-recording.ts";
import type { MarketColumns } from "../../src/recordings/columns/market-columns.ts";
import { importRecording } from "../../src/recordings/import.ts";
import type { RecordingMarket } from "../../src/recordings/manifest.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { runAll } from "../../src/recordings/steps.ts";
import { type Checkpoint, checkpointsOf, io, type SharedSet, filesOf } from "./shared-sets.ts";

/** A replayed market of a set: the check's result, its checkpoints, and the expected ones. */
export interface GoldenMarket {
  readonly market: RecordingMarket;
  readonly line: CheckLine;
  readonly expected: readonly Checkpoint[];
  /** Checkpoints after the same events as the expected ones. */
  readonly seen: readonly Checkpoint[];
}

/** Imports a set into `out` and replays it. */
export function replaySet(set: SharedSet, out: string): readonly GoldenMarket[] {
  const { markets } = importRecording(io, { format: set.format, files: filesOf(set), out });
  const expected = new Map(
    markets.map(({ marketId, symbol }) => [marketId, checkpointsOf(set, symbol)]),
  );
  const seen = new Map<string, Checkpoint[]>(markets.map(({ marketId }) => [marketId, []]));
  const look = ({ marketId, n, event, book }: AppliedDepth) => {
    const found = seen.get(marketId);
    if (expected.get(marketId)?.[found?.length ?? 0]?.n !== n) return;
    found?.push({ n, ...checkpointOf(book, event, io.compression) } as Checkpoint);
  };
  const lines = checkRecording(io, new Recording(io, out), { onApplied: look });
  return markets.flatMap((market) => {
    const line = lines.find((each) => each.market === market.marketId);
    if (line === undefined) return [];
    const of = {
      expected: expected.get(market.marketId) ?? [],
      seen: seen.get(market.marketId) ?? [],
    };
    return [{ market, line, ...of }];
  });
}

export const tableHead = [
  "| set | market | format | depth events | level changes | trades | applied | checkpoints equal | crossed | defects |",
  "|---|---|---|---:|---:|---:|---:|---:|---:|---|",
];

/** A market's row in the table of `golden-tables.md`. */
export function tableRow(name: string, format: string, golden: GoldenMarket): string {
  const { line, expected, seen } = golden;
  const equal = expected.filter(
    (checkpoint, at) => JSON.stringify(sorted(checkpoint)) === JSON.stringify(sorted(seen[at])),
  ).length;
  const defects = defectNames
    .filter((what) => line[what] > 0)
    .map((what) => `${what} ${line[what]}`)
    .join(", ");
  const cells = [
    name.replace(/-.*/, ""),
    line.symbol,
    format,
    line.depthEvents,
    line.levelChanges,
    line.trades,
    line.applied,
    `${equal} of ${expected.length}`,
    line.crossed,
    defects === "" ? "none" : defects,
  ];
  return `| ${cells.join(" | ")} |`;
}

export const compiledHead = [
  "| set | market | level changes | levels with books and trades | bytes | bytes a level | bytes a level change |",
  "|---|---|---:|---:|---:|---:|---:|",
];

/** A market's row in the table of compiled files in `golden-tables.md`. */
export function compiledRow(
  name: string,
  { line }: GoldenMarket,
  { levels, bytes }: MarketColumns,
): string {
  const perLevel = (bytes / levels).toFixed(1);
  const perChange = (bytes / line.levelChanges).toFixed(1);
  const cells = [name.replace(/-.*/, ""), line.symbol, line.levelChanges, levels, bytes];
  return `| ${[...cells, perLevel, perChange].join(" | ")} |`;
}

/** The compiled form of a set that `replaySet` imported into `out`. */
export function compiledSet(out: string): ReadonlyMap<string, MarketColumns> {
  const recording = new Recording(io, out);
  const ids = recording.manifest.markets.map(({ marketId }) => marketId);
  const compiled = runAll(openCompiled(recording, ids, () => undefined));
  const found = new Map<string, MarketColumns>();
  for (const id of ids) {
    const columns = compiled.market(id);
    if (columns !== undefined) found.set(id, columns);
  }
  return found;
}

function sorted(checkpoint: Checkpoint | undefined): unknown {
  return Object.entries(checkpoint ?? {}).sort(([left], [right]) => (left < right ? -1 : 1));
}
