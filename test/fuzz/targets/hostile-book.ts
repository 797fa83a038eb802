import fc from "fast-check";
import { BookSync } from "../../../src/book/book-sync.ts";
import { marketId } from "../../../src/domain/ids.ts";
import { unixMs } from "../../../src/domain/time.ts";
import { defineTarget, Violation } from "../target.ts";

const MARKET = marketId("1", "2");

/** Prices and quantities that the decoders let through: finite and not negative, however large. */
const price = fc.oneof(
  { weight: 2, arbitrary: fc.integer({ min: 17_000, max: 19_000 }).map((ticks) => ticks / 10) },
  { weight: 2, arbitrary: fc.double({ min: 0, max: 1e63, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 5e-324, 1e-26, 1e63, 2 ** 53, 99_999.999) },
);
const quantity = fc.oneof(
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.constantFrom(1, 0.5, 1e63, 1e-26) },
);
/** Levels from a few drawn ones: `spread` copies of each, a bit apart. */
const levels = fc
  .record({
    drawn: fc.array(fc.tuple(price, quantity), { maxLength: 20 }),
    spread: fc.oneof({ weight: 30, arbitrary: fc.nat(3) }, { weight: 1, arbitrary: fc.nat(400) }),
    step: fc.constantFrom(0.1, 0.000_01, Math.SQRT2),
  })
  .map(({ drawn, spread, step }) =>
    Float64Array.from(
      drawn.flatMap(([at, size]) =>
        Array.from({ length: spread + 1 }, (_, copy) => [at + copy * step, size]).flat(),
      ),
    ),
  );
const id = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, 2 ** 53 - 1) },
);
const message = fc.record({
  type: fc.constantFrom("depth", "depth", "depth", "snapshot", "audit"),
  bids: levels,
  asks: levels,
  lastId: id,
});

/** Depth messages of any content into a book: it never throws, and a readable book is one that can exist. */
export const hostileBookTarget = defineTarget({
  name: "depth messages into a book",
  weight: 2,
  inputs: fc.array(message, { minLength: 1, maxLength: 8 }),
  open: () => {
    // One for all inputs: its windows are megabytes. A new stream empties it.
    const sync = new BookSync(MARKET);
    return {
      check: (messages) => {
        sync.onStream("opened");
        let next = 1;
        for (const { type, bids, asks, lastId = next } of messages) {
          const common = { marketId: MARKET, timeMs: unixMs(1), bids, asks };
          next = Math.min(lastId + 1, 2 ** 53 - 1);
          if (type === "snapshot") sync.onSnapshot({ ...common, lastId });
          else if (type === "audit") sync.onAudit({ ...common, lastId });
          else sync.onDepth({ ...common, firstId: lastId, finalId: lastId });
          checkBook(sync);
        }
        return sync.live === undefined ? "refused" : "taken";
      },
    };
  },
});

function checkBook({ live }: BookSync): void {
  for (const side of [live?.bids, live?.asks]) {
    if (side === undefined) continue;
    const held = side.top(side.size);
    const sign = side === live?.bids ? -1 : 1;
    for (let at = 0; at < held.length; at += 2) {
      const [level = 0, size = 0] = held.subarray(at, at + 2);
      const before = held[at - 2];
      if (!(level > 0 && size > 0) || (before !== undefined && sign * before >= sign * level)) {
        throw new Violation("wrong-answer", `a level of ${level}, ${size} after ${before}`);
      }
    }
  }
}
