import type { Side } from "../domain/side.ts";
import type { BookView } from "./view.ts";

/** Levels that are looked through at most. */
const MAX_LEVELS = 50;

/**
 * Price of the best level of a side behind its first `quantity` base token: dust in front of a book moves nobody's quotes.
 * With 0 the touch itself. Undefined when the side is empty or that thin in its first 50 levels.
 */
export function touchBehind(book: BookView, side: Side, quantity: number): number | undefined {
  let passed = 0;
  for (let index = 0; index < MAX_LEVELS; index += 1) {
    const level = book.level(side, index);
    if (level === undefined) return undefined;
    passed += level.quantity;
    if (passed > quantity) return level.price;
  }
  return undefined;
}
