import { gridRules } from "../../src/domain/grid-rules.ts";
import { tokenId } from "../../src/domain/ids.ts";
import type { RecordedBook } from "../../src/recordings/recorded-event.ts";

/** The time of a run's first step; frames come after it. */
export const START_MS = 1_767_225_600_000;

/** Settings that both bots of the headline case share, so that they make the same orders. */
export interface Terms {
  /** Distance of both quotes from the mid, quote token: about 0.2 %, so far that no quote is ever crossed. */
  readonly halfSpread: string;
  /** Sizes in base token, taken in turn. */
  readonly sizes: readonly string[];
  readonly chainId: number;
  readonly privateKey: Uint8Array;
  readonly limits: Limits;
  /** Balances of the account, far more than the quotes need. */
  readonly base: string;
  readonly quote: string;
}

export interface Limits {
  readonly collar: number;
  readonly maxOrderSize: string;
  readonly maxOrderNotional: string;
  readonly maxPosition: string;
  readonly maxOpenOrders: number;
  readonly staleMs: number;
}

export const baseToken = tokenId("1");
export const quoteToken = tokenId("2");

export function termsFor(book: RecordedBook): Terms {
  const mid = (Number(book.bids[0]?.[0]) + Number(book.asks[0]?.[0])) / 2;
  // Sizes worth about 1,000 of quote token, whatever the market.
  const unit = 10 ** Math.floor(Math.log10(1000 / mid));
  return {
    halfSpread: String(gridRules.roundUp(Number((mid * 0.002).toPrecision(3)))),
    sizes: [1, 1.5, 2, 2.5, 3].map((count) => String(Number((count * unit).toPrecision(2)))),
    chainId: 1001,
    privateKey: new Uint8Array(32).fill(7),
    limits: {
      collar: 0.05,
      maxOrderSize: String(unit * 100),
      maxOrderNotional: "1000000",
      maxPosition: String(unit * 1000),
      maxOpenOrders: 10,
      staleMs: 10_000,
    },
    base: "1000000",
    quote: "1000000000",
  };
}
