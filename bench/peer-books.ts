import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { LevelBook } from "../src/book/level-book.ts";
import type { TextLevel } from "../src/recordings/recorded-event.ts";

/** Levels as texts, as a parsed frame and a parsed snapshot have them. */
export interface TextLevels {
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

/** Levels of each side that are read after every event. */
export const TOP = 10;

/** A book under test: applies one event after the other and gives its best levels afterwards. */
export interface TopBook<Event> {
  take(event: Event): void;
  /** Writes price and quantity of the best `TOP` levels, bids first, and 0 where a side has fewer. */
  top(into: Float64Array): void;
}

/** Room for what `top` writes. */
export function topRoom(): Float64Array {
  return new Float64Array(4 * TOP);
}

/** Makes a book that holds these levels. */
export type MakeBook<Event> = (start: TextLevels) => TopBook<Event>;

/** Applies event after event and reads the best levels after each; starts again from the first book after the last event. */
export function loopOf<Event>(
  start: TextLevels,
  events: readonly Event[],
  make: MakeBook<Event>,
): (iterations: number) => number {
  let at = 0;
  let book = make(start);
  const levels = topRoom();
  return (iterations) => {
    let sum = 0;
    for (let count = 0; count < iterations; count += 1) {
      if (at === events.length) {
        at = 0;
        book = make(start);
      }
      const event = events[at];
      if (event !== undefined) book.take(event);
      at += 1;
      book.top(levels);
      sum += (levels[0] ?? 0) + (levels[2 * TOP] ?? 0);
    }
    return sum;
  };
}

/** Compares the best levels after every event; undefined when all sides agree. */
export function differenceOf<Event>(
  start: TextLevels,
  events: readonly Event[],
  makers: readonly (readonly [name: string, make: MakeBook<Event>])[],
): string | undefined {
  const books = makers.map(([name, make]) => [name, make(start)] as const);
  for (const [at, event] of events.entries()) {
    const touches = books.map(([name, book]) => {
      book.take(event);
      const levels = topRoom();
      book.top(levels);
      return [name, levels.join(" ")] as const;
    });
    const [first] = touches;
    const other = touches.find(([, touch]) => touch !== first?.[1]);
    if (first !== undefined && other !== undefined) {
      return `after event ${at} ${first[0]} says ${first[1]}, ${other[0]} says ${other[1]}`;
    }
  }
  return undefined;
}

/** Reads our own book. */
export function ourTop(book: LevelBook): (into: Float64Array) => void {
  const bids = book.bids.cursor();
  const asks = book.asks.cursor();
  const write = (cursor: typeof bids, into: Float64Array, from: number): void => {
    cursor.rewind();
    let at = from;
    for (const end = from + 2 * TOP; at < end && cursor.next(); at += 2) {
      into[at] = cursor.price;
      into[at + 1] = cursor.quantity;
    }
    into.fill(0, at, from + 2 * TOP);
  };
  return (into) => {
    write(bids, into, 0);
    write(asks, into, 2 * TOP);
  };
}

/** CommonJS with a default export, which every loader imports in its own way. */
const { default: BTree } = createRequire(import.meta.url)(
  "sorted-btree",
) as typeof import("sorted-btree");

/** A B+ tree a side, numbers as keys. */
export const btreeBook: MakeBook<TextLevels> = (start) => {
  const bids = new BTree<number, number>(undefined, (left, right) => right - left);
  const asks = new BTree<number, number>(undefined, (left, right) => left - right);
  const apply = (tree: typeof bids, levels: readonly TextLevel[]) => {
    for (const [priceText, quantityText] of levels) {
      const quantity = Number(quantityText);
      if (quantity === 0) tree.delete(Number(priceText));
      else tree.set(Number(priceText), quantity);
    }
  };
  const take = (levels: TextLevels): void => {
    apply(bids, levels.bids);
    apply(asks, levels.asks);
  };
  take(start);
  const write = (tree: typeof bids, into: Float64Array, from: number): void => {
    let at = from;
    const end = from + 2 * TOP;
    for (const [price, quantity] of tree.entries()) {
      into[at] = price;
      into[at + 1] = quantity;
      at += 2;
      if (at === end) return;
    }
    into.fill(0, at, end);
  };
  const top = (into: Float64Array): void => {
    write(bids, into, 0);
    write(asks, into, 2 * TOP);
  };
  return { take, top };
};

/** The part of ccxt's own book that the benchmark uses; its package does not export it. */
interface CcxtSide extends ReadonlyArray<readonly [price: number, size: number]> {
  store(price: number, size: number): void;
}
interface CcxtModule {
  readonly OrderBook: new () => { readonly bids: CcxtSide; readonly asks: CcxtSide };
}

/** How to install ccxt, which is heavy and so is not in the main install. */
export const CCXT_MISSING = "ccxt is not installed: npm ci --prefix bench";

/** The order book of ccxt; undefined when it is not installed. */
export async function ccxtBook(): Promise<MakeBook<TextLevels> | undefined> {
  const file = path.join(import.meta.dirname, "node_modules/ccxt/js/src/base/ws/OrderBook.js");
  if (!existsSync(file)) return undefined;
  const { OrderBook } = (await import(pathToFileURL(file).href)) as CcxtModule;
  return (start) => {
    const book = new OrderBook();
    const apply = (side: CcxtSide, levels: readonly TextLevel[]) => {
      for (const [price, quantity] of levels) side.store(Number(price), Number(quantity));
    };
    const take = (levels: TextLevels): void => {
      apply(book.bids, levels.bids);
      apply(book.asks, levels.asks);
    };
    take(start);
    const write = (side: CcxtSide, into: Float64Array, from: number): void => {
      for (let at = 0; at < TOP; at += 1) {
        const level = side[at];
        into[from + 2 * at] = level?.[0] ?? 0;
        into[from + 2 * at + 1] = level?.[1] ?? 0;
      }
    };
    const top = (into: Float64Array): void => {
      write(book.bids, into, 0);
      write(book.asks, into, 2 * TOP);
    };
    return { take, top };
  };
}
