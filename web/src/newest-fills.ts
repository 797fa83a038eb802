import type { FillRow } from "../../src/dashboard/api-rows.ts";

/** As many as the bot keeps. */
const MAX_FILLS = 1000;

/** Fills as the API lists them, newest first; `next` leads to older ones, null when there are none. */
export interface FillsPage {
  readonly fills: readonly FillRow[];
  readonly next: number | null;
}

/** Reads pages of fills until they reach back to this time or there are no more; `read` may reject. */
export async function readFillsSince(
  sinceMs: number,
  read: (before: number | null) => Promise<FillsPage>,
): Promise<void> {
  let before: number | null = null;
  do {
    const { fills, next } = await read(before);
    before = (fills.at(-1)?.timeMs ?? sinceMs) > sinceMs ? next : null;
  } while (before !== null);
}

/** Since when all fills are known, if that is later than this time; undefined where none is missing. `hasOlder`: the bot has more of them. */
export function knownSinceMs(
  fills: readonly FillRow[],
  fromMs: number,
  hasOlder: boolean,
): number | undefined {
  const oldest = fills.at(-1);
  const mayLack = hasOlder || fills.length >= MAX_FILLS;
  return mayLack && oldest !== undefined && oldest.timeMs > fromMs ? oldest.timeMs : undefined;
}

/** The newest of the fills, each once, by number. */
export function newestFills(fills: readonly FillRow[]): ReadonlyMap<number, FillRow> {
  const each = [...new Map(fills.map((fill) => [fill.fill, fill]))];
  return new Map(each.sort(([left], [right]) => right - left).slice(0, MAX_FILLS));
}
