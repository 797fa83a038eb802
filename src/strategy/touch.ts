import type { Side } from "../domain/side.ts";
import type { BookView } from "./view.ts";

/** Most levels that are searched. */
const MAX_LEVELS = 50;

/**
 * Price of the level that lies behind the first `quantity` base token of a side, so that tiny orders in front of the book do not
 * move quotes. With 0 it is the touch. Undefined when the first 50 levels hold no more than `quantity`.
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
