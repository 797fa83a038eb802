import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { plainNumber } from "../../src/domain/fixed.ts";
import { Recording } from "../../src/recordings/recording.ts";
import {
  compiledRow,
  compiledSet,
  type GoldenMarket,
  replaySet,
  tableRow,
} from "../recordings/golden-set.ts";
import { hasShared, io, sets, statsOf } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Its table is printed by `node test/recordings/print-table.ts`. */
const documented = readFileSync(
  resolve(import.meta.dirname, "../recordings/golden-tables.md"),
  "utf8",
);

/** Decimal text without trailing zeros. */
function stripped(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

describe.skipIf(!hasShared)("real recordings (../shared/data; skipped without it)", () => {
  const folder = temporaryFolder();

  describe.each(sets)("$name", (set) => {
    const out = `${folder}/${set.name}`;
    let replayed: readonly GoldenMarket[] = [];

    test("imported and replayed, the book agrees with every checkpoint, and the counts with the statistics", () => {
      replayed = replaySet(set, out);
      const stats = statsOf(set);
      expect(new Set(replayed.map(({ market }) => market.symbol))).toEqual(
        new Set(Object.keys(stats.markets)),
      );
      for (const golden of replayed) {
        const { line, expected, seen } = golden;
        expect(seen).toEqual(expected);
        expect(documented).toContain(tableRow(set.name, set.format, golden));
        const { counts, depth, replay, trades } = stats.markets[line.symbol] ?? {};
        expect(line).toMatchObject({
          depthEvents: (counts?.depth ?? 0) + (set.more?.depthEvents ?? 0),
          levelChanges: (depth?.level_updates ?? 0) + (set.more?.levelChanges ?? 0),
          trades: (counts?.trade ?? 0) + (set.more?.trades ?? 0),
          applied: replay?.applied,
          gaps: depth?.id_gaps,
          duplicates: depth?.duplicates,
          tradeGaps: trades?.id_gaps ?? 0,
          tradeDuplicates: 0,
          badPrices: 0,
          badTimes: 0,
          timeJumps: set.more?.timeJumps ?? 0,
          interruptions: 0,
          crossed: replay?.crossed,
          locked: replay?.locked,
        });
        const { n: _, ...last } = expected.at(-1) ?? { n: 0 };
        expect(line).toMatchObject(last);
      }
    });

    test("the compiled form has the same events as the text, in the bytes that the page states", () => {
      const recording = new Recording(io, out);
      const compiled = compiledSet(out);
      for (const golden of replayed) {
        const { marketId } = golden.market;
        const columns = compiled.get(marketId);
        if (columns === undefined) throw new Error(`${marketId} was not compiled`);
        expect(
          isDeepStrictEqual([...columns.syncedEvents()], [...recording.syncedEvents(marketId)]),
        ).toBe(true);
        expect(
          isDeepStrictEqual([...columns.replayEvents()], [...recording.replayEvents(marketId)]),
        ).toBe(true);
        expect(documented).toContain(compiledRow(set.name, golden, columns));
      }
      for (const columns of compiled.values()) columns.close();
    });

    test("every recorded price and quantity survives conversion to a double", () => {
      const wrong: string[] = [];
      const see = (text: string) => {
        if (plainNumber(Number(text)) !== stripped(text)) wrong.push(text);
      };
      for (const event of new Recording(io, out).events()) {
        if (event.type === "trade") {
          see(event.price);
          see(event.quantity);
        } else if (event.type !== "mark" && event.type !== "candle")
          for (const text of [...event.bids, ...event.asks].flat()) see(text);
      }
      expect(wrong).toEqual([]);
    });
  });
});
