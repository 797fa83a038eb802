import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import type { TextLevel } from "../src/recordings/recorded-event.ts";

/** Levels as texts, as a parsed frame and a parsed snapshot have them. */
export interface TextLevels {
  readonly bids: readonly TextLevel[];
  readonly asks: readonly TextLevel[];
}

/** A book under test: applies one event after the other and gives the touch afterwards. */
export interface TouchBook<Event> {
  take(event: Event): void;
  bid(): number;
  ask(): number;
}

/** Makes a book that holds these levels. */
export type MakeBook<Event> = (start: TextLevels) => TouchBook<Event>;

/** Applies event after event and reads the touch after each; starts again from the first book after the last event. */
export function loopOf<Event>(
  start: TextLevels,
  events: readonly Event[],
  make: MakeBook<Event>,
): (iterations: number) => number {
  let at = 0;
  let book = make(start);
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
      sum += book.bid() + book.ask();
    }
    return sum;
  };
}

/** Compares the touch after every event; undefined when all sides agree. */
export function differenceOf<Event>(
  start: TextLevels,
  events: readonly Event[],
  makers: readonly (readonly [name: string, make: MakeBook<Event>])[],
): string | undefined {
  const books = makers.map(([name, make]) => [name, make(start)] as const);
  for (const [at, event] of events.entries()) {
    const touches = books.map(([name, book]) => {
      book.take(event);
      return [name, `${book.bid()} ${book.ask()}`] as const;
    });
    const [first] = touches;
    const other = touches.find(([, touch]) => touch !== first?.[1]);
    if (first !== undefined && other !== undefined) {
      return `after event ${at} ${first[0]} says ${first[1]}, ${other[0]} says ${other[1]}`;
    }
  }
  return undefined;
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
  return { take, bid: () => bids.minKey() ?? 0, ask: () => asks.minKey() ?? 0 };
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
    return { take, bid: () => book.bids[0]?.[0] ?? 0, ask: () => book.asks[0]?.[0] ?? 0 };
  };
}
