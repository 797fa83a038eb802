/** The statistic that is compared: the mean of a loop, or a percentile of single operations. */
export type Level = "mean" | "p50" | "p99";

/** The factor by which our side has to be faster than a peer, or the microseconds that it may take. */
export type Target =
  | {
      readonly type: "ratio";
      /** Part of the peer's name. */
      readonly peer: string;
      readonly level: Level;
      readonly must: number;
      readonly stretch: number;
    }
  | {
      readonly type: "time";
      readonly level: Level;
      readonly mustUs: number;
      readonly stretchUs: number;
    };

const ratio = (peer: string, level: Level, must: number, stretch: number): Target => ({
  type: "ratio",
  peer,
  level,
  must,
  stretch,
});

/** Stretch goals that this Node's JSON.parse moves: it is about twice as fast on 26 as on 24. */
const isNode26 = Number(process.versions.node.split(".", 1)[0]) >= 26;

/** The goals, by the name of their case. A case without a goal is measured and compared, but gets no verdict. */
export const goals: Readonly<Record<string, readonly Target[]>> = {
  G1: [ratio("plain", "p50", 8, 12), ratio("plain", "p99", 8, 16)],
  G1b: [ratio("plain", "p50", 5, 15), ratio("plain", "p99", 5, 18)],
  G1c: [ratio("hot loop", "p50", 0.25, 0.5)],
  // No slower than by a tenth.
  G1d: [ratio("without sources", "p50", 0.9, 1)],
  G3: [ratio("ethers Wallet", "mean", 10, 13)],
  G4: [ratio("ccxt", "mean", 15, 20), ratio("sorted-btree", "mean", 3, 3.7)],
  G5: [
    ratio("sorted-btree", "mean", 4, isNode26 ? 6 : 9),
    ratio("ccxt", "mean", 20, isNode26 ? 28 : 40),
  ],
  G6: [ratio("JSON.parse", "mean", 2.5, 5)],
  G7: [ratio("decimal.js", "mean", 10, 18)],
  G8: [ratio("global fetch", "mean", 4, 12)],
  // No slower, although ours keeps money, history and events and the peer matches only.
  G9: [ratio("nodejs-order-book", "mean", 1, 1.5)],
  G10: [ratio("hftbacktest", "mean", 0.6, 1.2)],
  G11: [ratio("hftbacktest", "mean", 1.2, 2.5)],
  G12: [{ type: "time", level: "mean", mustUs: 5, stretchUs: 1 }],
  // Durable within four times what one write and fdatasync take.
  G12b: [ratio("fdatasync", "p50", 0.25, 0.5)],
  G13: [ratio("p-queue", "mean", 8, 20), ratio("pino", "mean", 20, 50)],
  // What counts is the difference of the two sides: 8 and 4 us.
  G14: [],
  G14b: [],
};
