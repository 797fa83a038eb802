import { type Json, withoutNulls } from "./merge-patch.ts";
import type { Overview, OverviewRow } from "./api-schema.ts";
import { isQuoting, modes } from "./strategy-state.ts";

/** A bot among several. */
interface SeenBot {
  readonly name: string;
  /** Address of its page. */
  readonly url: string;
  /** Whether it takes actions from here. */
  readonly mayAct: boolean;
  /** The newest. */
  readonly overview?: Overview;
  /** Why there is no newer one. */
  readonly problem?: string;
}

/** What the page shows of several bots: one overview, whose rows lead to the bots' own pages and whose actions go to the bots' own APIs. */
export class SeveralBots {
  readonly #version: string;
  readonly #startedMs = Date.now();
  #shown: Json | undefined;
  readonly snapshot = undefined;
  readonly log = [];

  constructor(version: string) {
    this.#version = version;
  }

  see(bots: readonly SeenBot[]): void {
    const overview = overviewOfAll(bots, { version: this.#version, startedMs: this.#startedMs });
    this.#shown = withoutNulls({ ...overview, log: {}, view: null });
  }

  overview(): undefined {
    return undefined;
  }

  shown(): Json | undefined {
    return this.#shown;
  }
}

export function overviewOfAll(
  bots: readonly SeenBot[],
  about: Pick<Overview, "version" | "startedMs">,
): Overview {
  const seen = bots.flatMap(({ overview }) => overview ?? []);
  const all = seen.map(({ totals }) => totals);
  const rows = bots.flatMap(rowsOf);
  const [first] = all;
  const currency = all.every((one) => one.currency === first?.currency)
    ? (first?.currency ?? null)
    : null;
  const sum = (values: readonly (number | null)[]): number | null =>
    values.includes(null) ? null : values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const money = (of: "day" | "total" | "exposure"): number | null =>
    currency === null ? null : sum(all.map((one) => one[of]));
  return {
    ...about,
    bot: `${bots.length} bots`,
    // The one in which most is at stake; each row has its own.
    mode: modes.find((mode) => seen.some((overview) => overview.mode === mode)) ?? "demo",
    venue: [...new Set(seen.map(({ venue }) => venue))].join(", "),
    nowMs: Math.max(0, ...seen.map(({ nowMs }) => nowMs)),
    problems: bots.flatMap(problemsOf),
    rows: Object.fromEntries(rows),
    totals: {
      currency,
      day: money("day"),
      total: money("total"),
      exposure: money("exposure"),
      orders: sum(all.map(({ orders }) => orders)) ?? 0,
      fills: sum(all.map(({ fills }) => fills)) ?? 0,
      quoting: rows.filter(([, { state }]) => isQuoting(state)).length,
      limit:
        all
          .flatMap(({ limit }) => limit ?? [])
          .toSorted((left, right) => right.share - left.share)[0] ?? null,
    },
    requests: {
      perSecond: sum(seen.map(({ requests }) => requests.perSecond)) ?? 0,
      limit: sum(seen.map(({ requests }) => requests.limit)) ?? 0,
    },
    tickToOrderUs: { p50: null, p99: null },
    guard: "none",
    foreign: { count: 0, orders: {} },
  };
}

function rowsOf({
  name,
  url,
  mayAct,
  overview,
  problem,
}: SeenBot): readonly [string, OverviewRow][] {
  if (overview === undefined) return [];
  const bot = { name, mode: overview.mode, url, mayAct };
  const gone = { state: "stale", because: "its bot does not respond" } as const;
  return Object.values(overview.rows).map((row) => [
    `${name} ${row.name}`,
    { ...row, bot, ...(problem === undefined ? {} : gone) },
  ]);
}

function problemsOf({ name, overview, problem }: SeenBot): Overview["problems"] {
  if (problem !== undefined) return [{ level: "bad", of: [], text: `${name}: ${problem}` }];
  return (overview?.problems ?? []).map((one) => ({
    ...one,
    of: one.of.map((row) => `${name} ${row}`),
    text: one.of.length === 0 ? `${name}: ${one.text}` : one.text,
  }));
}
