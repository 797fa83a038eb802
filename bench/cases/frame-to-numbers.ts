import { DepthScanner } from "../../src/gateway/depth-scanner.ts";
import type { TextLevel } from "../../src/recordings/recorded-event.ts";
import type { BenchCase } from "../bench-case.ts";
import { benchMarket, parseFrame, recordedFrames } from "../recorded-frames.ts";

interface Numbers {
  readonly firstId: number;
  readonly finalId: number;
  readonly bids: Float64Array;
  readonly asks: Float64Array;
}

/**
 * G6: from the bytes of a recorded depth frame to its ids and its prices and quantities as numbers. One operation is one frame.
 * The peer parses JSON and makes each text a number. Every number of every frame is compared.
 */
export const frameToNumbers: BenchCase = {
  goal: "G6",
  title: "recorded depth frame to numbers",
  unit: "us",
  async prepare() {
    const recorded = recordedFrames();
    const { frames } = recorded;
    const scanner = new DepthScanner([benchMarket]);
    const ours = (bytes: Uint8Array): Numbers => {
      const event = scanner.scan(bytes);
      if (event === undefined) throw new Error("a recorded frame in the expected form");
      return event;
    };
    const differing = frames.findIndex((bytes) => !isSame(ours(bytes), theirs(bytes)));
    const loop = (read: (bytes: Uint8Array) => Numbers) => {
      let at = 0;
      return (iterations: number): number => {
        let sum = 0;
        for (let count = 0; count < iterations; count += 1) {
          const frame = frames[at];
          if (frame !== undefined) sum += read(frame).finalId;
          at = at + 1 === frames.length ? 0 : at + 1;
        }
        return sum;
      };
    };
    return {
      sides: [
        { name: "touchline", run: loop(ours) },
        { name: "JSON.parse + Number", run: loop(theirs) },
      ],
      check: () => (differing < 0 ? undefined : `frame ${differing} gives other numbers`),
      notJudged: recorded.notJudged,
      remarks: () => [
        `${recorded.name}: ${frames.length} frames, ${2 * recorded.levelChanges} numbers, all compared`,
      ],
    };
  },
};

function theirs(bytes: Uint8Array): Numbers {
  const { firstId, finalId, bids, asks } = parseFrame(bytes);
  return { firstId, finalId, bids: numbers(bids), asks: numbers(asks) };
}

function numbers(levels: readonly TextLevel[]): Float64Array {
  const flat = new Float64Array(2 * levels.length);
  let at = 0;
  for (const [price, quantity] of levels) {
    flat[at] = Number(price);
    flat[at + 1] = Number(quantity);
    at += 2;
  }
  return flat;
}

function isSame(one: Numbers, other: Numbers): boolean {
  return (
    one.firstId === other.firstId &&
    one.finalId === other.finalId &&
    isSameList(one.bids, other.bids) &&
    isSameList(one.asks, other.asks)
  );
}

function isSameList(one: Float64Array, other: Float64Array): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
