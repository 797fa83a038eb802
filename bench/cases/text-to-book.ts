import { LevelBook } from "../../src/book/level-book.ts";
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
import { parseFrame, recordedFrames } from "../recorded-frames.ts";

/**
 * G4: from the price and quantity texts of a recorded depth event to the ten best levels a side, read after every event. One operation is
 * one event. JSON is parsed beforehand: the comparison covers the book and the conversion of texts to numbers.
 */
export const textToBook: BenchCase = {
  goal: "G4",
  title: "recorded price and quantity texts to the ten best levels a side",
  unit: "us",
  async prepare() {
    const recorded = recordedFrames();
    const { book } = recorded;
    const events = recorded.frames.map(parseFrame);
    const makers: [name: string, make: MakeBook<TextLevels>][] = [
      ["touchline", ours],
      ["sorted-btree", btreeBook],
    ];
    const ccxt = await ccxtBook();
    if (ccxt !== undefined) makers.push(["ccxt OrderBook", ccxt]);
    const problem = differenceOf(book, events, makers);
    return {
      sides: makers.map(([name, make]) => ({ name, run: loopOf(book, events, make) })),
      check: () => problem,
      missing: ccxt === undefined ? [CCXT_MISSING] : [],
      notJudged: recorded.notJudged,
      remarks: () => [
        `${recorded.name}: ${events.length} events, ${recorded.levelChanges} level changes`,
      ],
    };
  },
};

const ours: MakeBook<TextLevels> = ({ bids, asks }) => {
  const book = new LevelBook();
  book.load({ bids: flatLevels(bids), asks: flatLevels(asks) });
  return {
    take: (levels) => book.apply({ bids: flatLevels(levels.bids), asks: flatLevels(levels.asks) }),
    top: ourTop(book),
  };
};
