import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { LevelBook } from "../../src/book/level-book.ts";
import { DepthScanner } from "../../src/gateway/depth-scanner.ts";
import type { TextLevel } from "../../src/recordings/recorded-event.ts";
import type { BenchCase } from "../bench-case.ts";
import { benchMarket, type RecordedFrames, recordedFrames } from "../recorded-frames.ts";

/** A book under test: takes a frame's bytes, and says the touch afterwards. */
interface BookSideBySide {
  frame(bytes: Uint8Array): void;
  bid(): number;
  ask(): number;
}

type MakeBook = (book: Pick<RecordedFrames["book"], "bids" | "asks">) => BookSideBySide;

/**
 * G5: from the bytes of a recorded depth frame to best bid and ask, read after every frame. One operation is one frame. The
 * peers parse JSON and keep numbers in a B+ tree, and in the order book of ccxt (which has to be installed: it is heavy).
 */
export const frameToBook: BenchCase = {
  goal: "G5",
  title: "recorded depth frame to best bid and ask",
  unit: "us",
  async prepare() {
    const recorded = recordedFrames();
    const makers: [name: string, make: MakeBook][] = [
      ["touchline", ours],
      ["JSON.parse + sorted-btree", withBTree],
    ];
    const ccxt = await withCcxt();
    if (ccxt !== undefined) makers.push(["JSON.parse + ccxt OrderBook", ccxt]);
    const problem = differenceOf(recorded, makers);
    return {
      sides: makers.map(([name, make]) => ({ name, run: loop(recorded, make) })),
      check: () => problem,
      missing: ccxt === undefined ? ["ccxt is not installed: npm ci --prefix bench"] : [],
      notJudged: recorded.notJudged,
      remarks: () => [
        `${recorded.name}: ${recorded.frames.length} frames, ${recorded.levelChanges} level changes`,
      ],
    };
  },
};

/** Runs frame after frame, from the recorded book again when they are through. */
function loop(recorded: RecordedFrames, make: MakeBook): (iterations: number) => number {
  const { frames, book } = recorded;
  let at = 0;
  let side = make(book);
  return (iterations) => {
    let sum = 0;
    for (let count = 0; count < iterations; count += 1) {
      if (at === frames.length) {
        at = 0;
        side = make(book);
      }
      side.frame(frames[at] ?? empty);
      at += 1;
      sum += side.bid() + side.ask();
    }
    return sum;
  };
}

const empty = Buffer.alloc(0);

/** Compares the touch after every frame; undefined when all sides say the same. */
function differenceOf(
  { frames, book }: RecordedFrames,
  makers: readonly [name: string, make: MakeBook][],
): string | undefined {
  const sides = makers.map(([name, make]) => [name, make(book)] as const);
  for (const [at, bytes] of frames.entries()) {
    const touches = sides.map(([name, side]) => {
      side.frame(bytes);
      return [name, `${side.bid()} ${side.ask()}`] as const;
    });
    const [first] = touches;
    const other = touches.find(([, touch]) => touch !== first?.[1]);
    if (first !== undefined && other !== undefined) {
      return `after frame ${at} ${first[0]} says ${first[1]}, ${other[0]} says ${other[1]}`;
    }
  }
  return undefined;
}

const ours: MakeBook = ({ bids, asks }) => {
  const scanner = new DepthScanner([benchMarket]);
  const book = new LevelBook();
  const flat = (levels: readonly TextLevel[]) => Float64Array.from(levels.flat().map(Number));
  book.load({ bids: flat(bids), asks: flat(asks) });
  return {
    frame(bytes) {
      const event = scanner.scan(bytes);
      if (event === undefined) throw new Error("a recorded frame in the expected form");
      book.apply(event);
    },
    bid: () => book.bids.bestPrice ?? 0,
    ask: () => book.asks.bestPrice ?? 0,
  };
};

interface WireFrame {
  readonly params: { readonly result: { readonly bids: TextLevel[]; readonly asks: TextLevel[] } };
}

const decoder = new TextDecoder();

function parse(bytes: Uint8Array): WireFrame["params"]["result"] {
  return (JSON.parse(decoder.decode(bytes)) as WireFrame).params.result;
}

/** CommonJS with a default export, which every loader imports in its own way. */
const { default: BTree } = createRequire(import.meta.url)(
  "sorted-btree",
) as typeof import("sorted-btree");

const withBTree: MakeBook = (start) => {
  const bids = new BTree<number, number>(undefined, (left, right) => right - left);
  const asks = new BTree<number, number>(undefined, (left, right) => left - right);
  const apply = (tree: typeof bids, levels: readonly TextLevel[]) => {
    for (const [priceText, quantityText] of levels) {
      const quantity = Number(quantityText);
      if (quantity === 0) tree.delete(Number(priceText));
      else tree.set(Number(priceText), quantity);
    }
  };
  apply(bids, start.bids);
  apply(asks, start.asks);
  return {
    frame(bytes) {
      const event = parse(bytes);
      apply(bids, event.bids);
      apply(asks, event.asks);
    },
    bid: () => bids.minKey() ?? 0,
    ask: () => asks.minKey() ?? 0,
  };
};

/** What is used here of ccxt's own book, which its package does not export. */
interface CcxtSide extends ReadonlyArray<readonly [price: number, size: number]> {
  store(price: number, size: number): void;
}
interface CcxtModule {
  readonly OrderBook: new () => { readonly bids: CcxtSide; readonly asks: CcxtSide };
}

async function withCcxt(): Promise<MakeBook | undefined> {
  const file = path.join(import.meta.dirname, "../node_modules/ccxt/js/src/base/ws/OrderBook.js");
  if (!existsSync(file)) return undefined;
  const { OrderBook } = (await import(pathToFileURL(file).href)) as CcxtModule;
  return (start) => {
    const book = new OrderBook();
    const apply = (side: CcxtSide, levels: readonly TextLevel[]) => {
      for (const [price, quantity] of levels) side.store(Number(price), Number(quantity));
    };
    apply(book.bids, start.bids);
    apply(book.asks, start.asks);
    return {
      frame(bytes) {
        const event = parse(bytes);
        apply(book.bids, event.bids);
        apply(book.asks, event.asks);
      },
      bid: () => book.bids[0]?.[0] ?? 0,
      ask: () => book.asks[0]?.[0] ?? 0,
    };
  };
}
