import { LevelBook } from "../../src/book/level-book.ts";
import { DepthScanner } from "../../src/gateway/depth-scanner.ts";
import { flatLevels } from "../../src/gateway/from-wire.ts";
import type { BenchCase } from "../bench-case.ts";
import {
  btreeBook,
  CCXT_MISSING,
  ccxtBook,
  differenceOf,
  loopOf,
  ourTop,
  type MakeBook,
  type TextLevels,
} from "../peer-books.ts";
import { benchMarket, parseFrame, recordedFrames } from "../recorded-frames.ts";

/**
 * G5: from the bytes of a recorded depth frame to the ten best levels a side, read after every frame. One operation is one frame. The
 * peers parse JSON and keep numbers in a B+ tree, and in the order book of ccxt (which has to be installed: it is heavy).
 */
export const frameToBook: BenchCase = {
  goal: "G5",
  title: "recorded depth frame to the ten best levels a side",
  unit: "us",
  async prepare() {
    const recorded = recordedFrames();
    const { frames, book } = recorded;
    const makers: [name: string, make: MakeBook<Uint8Array>][] = [
      ["touchline", ours],
      ["JSON.parse + sorted-btree", parsed(btreeBook)],
    ];
    const ccxt = await ccxtBook();
    if (ccxt !== undefined) makers.push(["JSON.parse + ccxt OrderBook", parsed(ccxt)]);
    const problem = differenceOf(book, frames, makers);
    return {
      sides: makers.map(([name, make]) => ({ name, run: loopOf(book, frames, make) })),
      check: () => problem,
      missing: ccxt === undefined ? [CCXT_MISSING] : [],
      notJudged: recorded.notJudged,
      remarks: () => [
        `${recorded.name}: ${frames.length} frames, ${recorded.levelChanges} level changes`,
      ],
    };
  },
};

const ours: MakeBook<Uint8Array> = ({ bids, asks }) => {
  const scanner = new DepthScanner([benchMarket]);
  const book = new LevelBook();
  book.load({ bids: flatLevels(bids), asks: flatLevels(asks) });
  return {
    take(bytes) {
      const event = scanner.scan(bytes);
      if (event === undefined) throw new Error("a recorded frame in the expected form");
      book.apply(event);
    },
    top: ourTop(book),
  };
};

function parsed(make: MakeBook<TextLevels>): MakeBook<Uint8Array> {
  return (start) => {
    const book = make(start);
    return { ...book, take: (bytes) => book.take(parseFrame(bytes)) };
  };
}
