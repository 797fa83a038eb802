import { botLimitUse, limitUse, type LimitUse } from "./limit-use.ts";
import { lateness } from "./readiness.ts";
import type { DashboardSnapshot, StrategyPanelSnapshot } from "./snapshot.ts";

/** That in which most is at stake comes first. */
export const modes = ["live", "paper", "dryRun", "demo"] as const;
type Mode = (typeof modes)[number];

/** The bot as its operator knows it; the same for all of its run. */
export interface AboutBot {
  /** Name of its configuration. */
  readonly bot: string;
  /** `demo`: on a paper venue of its own; `paper`: simulated fills; `dryRun`: sends nothing; `live`: trades at `venue`. */
  readonly mode: Mode;
  readonly venue: string;
  readonly startedMs: number;
}

/** Everything on one screen: what is wrong, and a row for each strategy in each market. */
export interface Overview extends AboutBot {
  readonly version: string;
  readonly nowMs: number;
  /** The hardest first. */
  readonly problems: readonly OverviewProblem[];
  readonly rows: Readonly<Record<string, OverviewRow>>;
  readonly totals: OverviewTotals;
  readonly requests: { readonly perSecond: number; readonly limit: number };
  readonly tickToOrderUs: { readonly p50: number | null; readonly p99: number | null };
  readonly guard: DashboardSnapshot["guard"];
  readonly foreign: DashboardSnapshot["foreign"];
}

export interface OverviewProblem {
  readonly level: "bad" | "warn";
  /** Names of rows; none for the whole bot. */
  readonly of: readonly string[];
  readonly text: string;
}

/** In the reporting currency, whose symbol is null when there is none. */
export interface OverviewTotals {
  readonly currency: string | null;
  readonly day: number | null;
  readonly total: number | null;
  readonly exposure: number | null;
  readonly orders: number;
  readonly fills: number;
  /** How many of the rows quote both sides. */
  readonly quoting: number;
  /** The limit of the whole bot that is used most. */
  readonly limit: LimitUse | null;
}

/** What a strategy does in a market; the worst that holds. */
export const overviewStates = [
  "halted",
  "halt",
  "left",
  "stale",
  "paused",
  "pause",
  "reduceOnly",
  "silent",
  "oneSide",
  "widen",
  "warn",
  "quoting",
] as const;
export type OverviewState = (typeof overviewStates)[number];

export interface OverviewRow
  extends Pick<StrategyPanelSnapshot, "strategy" | "name" | "ticker" | "reason"> {
  readonly market: string;
  /** Only in an overview of several bots: its bot, and the address of that bot's page. */
  readonly bot: { readonly name: string; readonly mode: Mode; readonly url: string } | null;
  readonly state: OverviewState;
  /** The sentence that explains the state, beside the reasons of the sides. */
  readonly because: string | null;
  readonly mid: number | null;
  readonly spreadBps: number | null;
  readonly position: number;
  /** These three in the reporting currency. */
  readonly exposure: number | null;
  readonly day: number | null;
  readonly total: number | null;
  readonly uptime: StrategyPanelSnapshot["uptime"];
  /** The limit that is used most. */
  readonly limit: LimitUse | null;
  readonly orders: number;
  readonly fills: number;
}

/** Share of the rate budget from which it is short. */
const BUDGET_SHORT = 0.9;

export function overviewOf(
  snapshot: DashboardSnapshot,
  about: AboutBot & { readonly version: string },
  ageMs: number,
): Overview {
  const { nowMs, panels, limits, requests, guard, latency, portfolio, foreign } = snapshot;
  const rows = panels.map((panel) => rowOf(panel, limits));
  const limit = botLimitUse(snapshot)[0] ?? null;
  const { bot, mode, venue, startedMs, version } = about;
  return {
    bot,
    mode,
    venue,
    startedMs,
    version,
    nowMs,
    problems: problemsOf(snapshot, { rows, limit, ageMs }),
    rows: Object.fromEntries(rows.map((row) => [row.name, row])),
    totals: {
      currency: symbolOf(portfolio.currency, panels),
      day: brief(portfolio.pnl.day),
      total: brief(portfolio.pnl.total),
      exposure: brief(portfolio.exposure),
      orders: sum(rows.map(({ orders }) => orders)),
      fills: sum(rows.map(({ fills }) => fills)),
      quoting: rows.filter(({ state }) => isQuoting(state)).length,
      limit,
    },
    requests: { perSecond: brief(requests.perSecond) ?? 0, limit: requests.limit },
    tickToOrderUs: {
      p50: rounded(latency.tickToOrderP50Us, 0),
      p99: rounded(latency.tickToOrderP99Us, 0),
    },
    guard,
    foreign,
  };
}

function rowOf(panel: StrategyPanelSnapshot, limits: DashboardSnapshot["limits"]): OverviewRow {
  const { strategy, name, ticker, marketId, book, reason, reported, position, uptime } = panel;
  const { mid, spread } = book;
  const { state, because } = stateOf(panel);
  const [used] = limitUse(panel, limits);
  return {
    strategy,
    name,
    ticker,
    market: marketId,
    bot: null,
    state,
    because,
    reason,
    mid: brief(mid),
    spreadBps: mid === null || spread === null ? null : rounded((spread / mid) * 10_000, 1),
    position: brief(position.base) ?? 0,
    exposure: brief(reported.exposure),
    day: brief(reported.day),
    total: brief(reported.total),
    uptime: uptime && {
      bid: rounded(uptime.bid, 3),
      ask: rounded(uptime.ask, 3),
      obligation: rounded(uptime.obligation, 3),
    },
    limit: used ?? null,
    orders: panel.orders.length,
    fills: panel.counts.fills,
  };
}

function stateOf(panel: StrategyPanelSnapshot): Pick<OverviewRow, "state" | "because"> {
  const { standstill, left, book, risk, reason } = panel;
  const ofRisk = risk.step === "normal" ? null : risk.reason;
  if (standstill !== null) return { state: standstill, because: ofRisk };
  if (left !== null) return { state: "left", because: `the venue is not believed: ${left}` };
  if (book.state !== "live") return { state: "stale", because: `the book is ${book.state}` };
  if (risk.step === "halt" || risk.step === "pause" || risk.step === "reduceOnly") {
    return { state: risk.step, because: ofRisk };
  }
  if (reason.BUY !== null && reason.SELL !== null) return { state: "silent", because: ofRisk };
  if (reason.BUY !== null || reason.SELL !== null) return { state: "oneSide", because: ofRisk };
  return { state: risk.step === "normal" ? "quoting" : risk.step, because: ofRisk };
}

/** Quotes both sides. */
export function isQuoting(state: OverviewState): boolean {
  return state === "quoting" || state === "warn" || state === "widen";
}

/** What is wrong in a state; the first four of all states are the bad ones. */
const stateProblems: Partial<Readonly<Record<OverviewState, string>>> = {
  halted: "halted",
  halt: "halted by the risk ladder",
  left: "market left",
  stale: "no live book",
  paused: "paused",
  pause: "paused by the risk ladder",
  reduceOnly: "reducing the position only",
  silent: "quoting no side",
  widen: "quoting wider",
  warn: "near a limit",
};

function problemsOf(
  { requests, guard, sources, missed }: DashboardSnapshot,
  {
    rows,
    limit: ofAll,
    ageMs,
  }: {
    readonly rows: readonly OverviewRow[];
    readonly limit: LimitUse | null;
    readonly ageMs: number;
  },
): readonly OverviewProblem[] {
  const problems: OverviewProblem[] = [];
  const add = (level: OverviewProblem["level"], text: string, ...of: readonly string[]): void => {
    const at = problems.findIndex((known) => known.level === level && known.text === text);
    const known = problems[at];
    if (known === undefined) problems.push({ level, of, text });
    else problems[at] = { ...known, of: [...known.of, ...of] };
  };
  for (const { name, state, because, reason } of rows) {
    const text = stateProblems[state];
    if (text === undefined) continue;
    const cause = because ?? (state === "silent" ? (reason.BUY ?? reason.SELL) : null);
    const level = overviewStates.indexOf(state) < 4 ? "bad" : "warn";
    add(level, cause === null ? text : `${text}: ${cause}`, name);
  }
  for (const { of, limit } of [
    ...rows.map(({ name, limit: used }) => ({ of: [name], limit: used })),
    { of: [], limit: ofAll },
  ]) {
    if (limit !== null && limit.share >= 1)
      add("warn", `${limit.limit} is used up: ${limit.text}`, ...of);
  }
  for (const text of lateness(ageMs)) add("bad", text);
  for (const { name, problem } of sources) {
    if (problem !== null) add("bad", `price source ${name}: ${problem}`);
  }
  if (guard === "lost") add("bad", "no guard is connected any more");
  if (requests.perSecond >= BUDGET_SHORT * requests.limit) {
    add("warn", `the rate budget is short: ${requests.limit} requests a second are allowed`);
  }
  if (missed > 0) add("warn", "the page has missed events, its figures may be wrong");
  return problems.sort(
    (left, right) => Number(right.level === "bad") - Number(left.level === "bad"),
  );
}

/** The token's symbol, as the tickers of its markets have it. */
function symbolOf(token: string | null, panels: readonly StrategyPanelSnapshot[]): string | null {
  if (token === null) return null;
  for (const { marketId, ticker } of panels) {
    const at = marketId.split("_").indexOf(token);
    if (at >= 0) return ticker.split("/")[at] ?? null;
  }
  return `token ${token}`;
}

/** Seven significant digits are enough for a screen. */
export function brief(value: number | string | null): number | null {
  return value === null ? null : Number(Number(value).toPrecision(7));
}

function rounded(value: number | null, decimals: number): number | null {
  return value === null ? null : Number(value.toFixed(decimals));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
