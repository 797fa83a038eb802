import { fixed, fixedText, plainNumber, ZERO, addFixed } from "../domain/fixed.ts";
import { gridRules } from "../domain/grid-rules.ts";
import type { Side } from "../domain/side.ts";
import type { ReadableBook } from "./level-book.ts";

/**
 * The first `depth` levels a side as the checkpoint text: `B <price> <quantity>\n` from the highest bid down, then
 * `A <price> <quantity>\n` from the lowest ask up, plain decimals without trailing zeros.
 */
export function bookLines(book: ReadableBook, depth = Number.POSITIVE_INFINITY): string {
  const lines: string[] = [];
  for (const [letter, side] of [
    ["B", book.bids],
    ["A", book.asks],
  ] as const) {
    const levels = side.top(Math.min(depth, side.size));
    for (let at = 0; at < levels.length; at += 2) {
      const price = plainNumber(levels[at] ?? 0);
      lines.push(`${letter} ${price} ${plainNumber(levels[at + 1] ?? 0)}\n`);
    }
  }
  return lines.join("");
}

/** The best level as exact text, undefined when the side is empty. */
export function bestText(book: ReadableBook, side: Side): readonly [string, string] | undefined {
  const levels = book.side(side);
  const price = levels.bestPrice;
  if (price === undefined) return undefined;
  return [plainNumber(price), plainNumber(levels.bestQuantity)];
}

/**
 * The best level on the venue's price grid (§4.5): bids rounded down, asks up, quantities that fall on one price summed
 * exactly. Undefined when the side is empty.
 */
export function gridBestText(
  book: ReadableBook,
  side: Side,
): readonly [string, string] | undefined {
  const round = side === "BUY" ? gridRules.roundDown : gridRules.roundUp;
  const cursor = book.side(side).cursor();
  let best: number | undefined;
  let total = ZERO;
  while (cursor.next()) {
    const folded = round(cursor.price);
    if (best !== undefined && folded !== best) break;
    best = folded;
    total = addFixed(total, fixed(plainNumber(cursor.quantity)));
  }
  return best === undefined ? undefined : [plainNumber(best), fixedText(total)];
}
