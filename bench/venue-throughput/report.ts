import { median } from "../percentile.ts";
import type { Loaded, Recovered } from "./messages.ts";

/** A load with the processor time of the venue's process, all its threads, for one order. */
export type MeasuredLoad = Loaded & { readonly processorUs: number };

export interface Round {
  readonly closed: MeasuredLoad;
  readonly open: MeasuredLoad;
  readonly floor: Recovered;
}

export interface Terms {
  readonly connections: number;
  readonly crypto: string;
  readonly isKept: boolean;
}

/** Shares of the floor, by the clock and by processor time: of each round, so that a slow phase of the machine affects both. */
function sharesOf({ closed, floor }: Round) {
  return {
    byClock: closed.perSecond / floor.perSecond,
    byProcessor: floor.processorUs / closed.processorUs,
  };
}

/** One JSON line: every round, and the medians. */
export function jsonOf(rounds: readonly Round[], terms: Terms): string {
  const middle = (of: (round: Round) => number): number => median(rounds.map(of));
  const line = {
    event: "bench.venue-throughput",
    ...terms,
    ordersPerSecond: middle(({ closed }) => closed.perSecond),
    p50Ms: middle(({ closed }) => closed.p50Ms),
    p99Ms: middle(({ closed }) => closed.p99Ms),
    halfRatePerSecond: middle(({ open }) => open.perSecond),
    halfRateP50Ms: middle(({ open }) => open.p50Ms),
    halfRateP99Ms: middle(({ open }) => open.p99Ms),
    floorPerSecond: middle(({ floor }) => floor.perSecond),
    shareByClock: middle((round) => sharesOf(round).byClock),
    shareByProcessor: middle((round) => sharesOf(round).byProcessor),
    processorUsPerOrder: middle(({ closed }) => closed.processorUs),
    processorUsPerRecovery: middle(({ floor }) => floor.processorUs),
    rounds: rounds.map((round) => ({ ...round, share: sharesOf(round) })),
  };
  return `${JSON.stringify(line)}\n`;
}

/** The same as a table of medians and ranges. */
export function tableOf(rounds: readonly Round[], terms: Terms): string {
  const spread = (of: (round: Round) => number, digits: number): string => {
    const all = rounds.map(of);
    const [low, high] = [Math.min(...all), Math.max(...all)].map((value) => value.toFixed(digits));
    return `${median(all).toFixed(digits)} (${low} to ${high})`;
  };
  const percent = (of: (round: Round) => number): string =>
    `${spread((round) => 100 * of(round), 0)} %`;
  const { connections, crypto, isKept } = terms;
  const rows = [
    [
      `as fast as answered, ${connections} connections, ${connections} in flight`,
      spread(({ closed }) => closed.perSecond, 0),
      spread(({ closed }) => closed.p50Ms, 1),
      spread(({ closed }) => closed.p99Ms, 1),
      spread(({ closed }) => closed.maxMs, 0),
      spread(({ closed }) => closed.processorUs, 1),
      spread(({ closed }) => closed.clientUs, 1),
    ],
    [
      "half as many a second, at random times",
      spread(({ open }) => open.perSecond, 0),
      spread(({ open }) => open.p50Ms, 1),
      spread(({ open }) => open.p99Ms, 1),
      spread(({ open }) => open.maxMs, 0),
      spread(({ open }) => open.processorUs, 1),
      spread(({ open }) => open.clientUs, 1),
    ],
    [
      `recovery alone, one thread, ${crypto}`,
      spread(({ floor }) => floor.perSecond, 0),
      "",
      "",
      "",
      spread(({ floor }) => floor.processorUs, 1),
      "",
    ],
  ];
  const head = ["", "a second", "p50 ms", "p99 ms", "longest ms", "venue CPU us", "client CPU us"];
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const shares =
    `Share of recovery alone: ${percent((round) => sharesOf(round).byClock)} by the clock, ` +
    `${percent((round) => sharesOf(round).byProcessor)} by processor time. ` +
    `Medians and ranges of ${rounds.length} rounds, ${isKept ? "dataDir on" : "in memory"}.`;
  return `${lines.join("\n")}\n\n${shares}\n`;
}
