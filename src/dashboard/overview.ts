import type { LimitUse } from "./api-rows.ts";
import type { Overview, OverviewProblem, OverviewRow } from "./api-schema.ts";
import { botLimitUse, limitUse } from "./limit-use.ts";
import { lateness } from "./readiness.ts";
import type { DashboardSnapshot, StrategyPanelSnapshot } from "./snapshot.ts";
import { isQuoting, states } from "./strategy-state.ts";

/** The bot as its operator knows it; the same for all of its run. */
export type AboutBot = Pick<Overview, "bot" | "mode" | "venue" | "startedMs">;

/** Share of the rate budget from which it is short. */
const BUDGET_SHORT = 0.9;

export function overviewOf(
  snapshot: DashboardSnapshot,
  about: AboutBot & { readonly version: string },
  ageMs: number,
): Overview {
  const { nowMs, panels, requests, guard, latency, portfolio, foreign } = snapshot;
  const { rows, limit, problems } = judged(snapshot, ageMs);
  const { bot, mode, venue, startedMs, version } = about;
  return {
    bot,
    mode,
    venue,
    startedMs,
    version,
    nowMs,
    problems,
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

/** Each strategy in each of its markets, the limit of the whole bot that is used most, and what is wrong. */
export function judged(snapshot: DashboardSnapshot, ageMs: number) {
  const rows = snapshot.panels.map((panel) => rowOf(panel, snapshot.limits));
  const limit = botLimitUse(snapshot)[0] ?? null;
  return { rows, limit, problems: problemsOf(snapshot, rows, limit, ageMs) };
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

/** What is wrong with the bot, the hardest first. */
function problemsOf(
  { requests, guard, sources, missed }: DashboardSnapshot,
  rows: readonly OverviewRow[],
  ofAll: LimitUse | null,
  ageMs: number,
): readonly OverviewProblem[] {
  const problems: OverviewProblem[] = [];
  const add = (level: OverviewProblem["level"], text: string, ...of: readonly string[]): void => {
    const at = problems.findIndex((known) => known.level === level && known.text === text);
    const known = problems[at];
    if (known === undefined) problems.push({ level, of, text });
    else problems[at] = { ...known, of: [...known.of, ...of] };
  };
  for (const { name, state, because, reason } of rows) {
    const [level, text] = states[state];
    if (level === "good" || state === "oneSide") continue;
    const cause = because ?? (reason.SELL === null ? null : reason.BUY);
    // Such as `halted: by hand`.
    const saysState = cause?.startsWith(text) === true;
    add(level, cause === null ? text : saysState ? cause : `${text}: ${cause}`, name);
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
