import type { LimitUse } from "./api-rows.ts";
import type { LimitRow } from "./limit-rows.ts";
import type { DashboardSnapshot, StrategyPanelSnapshot } from "./snapshot.ts";

/** What counts against limits; null is not known. */
interface Measured {
  readonly base: number | null;
  readonly mid: number | null;
  readonly orders: number | null;
  readonly dayPnl: string | null;
  readonly runPnl: string | null;
}

/** What is used of each limit that is measured all the time, in the limit's unit. */
const used: Readonly<Record<string, (measured: Measured, isInQuote: boolean) => number | null>> = {
  maxPosition: ({ base, mid }, isInQuote) => {
    if (base === null || (isInQuote && mid === null)) return null;
    return Math.abs(base) * (isInQuote ? (mid ?? 0) : 1);
  },
  maxOpenOrders: ({ orders }) => orders,
  dayLoss: ({ dayPnl }) => lossOf(dayPnl),
  sessionLoss: ({ runPnl }) => lossOf(runPnl),
};

/** Limits that every market has, and that count the orders of all. */
const ofBot: ReadonlySet<string> = new Set(["maxOpenOrders"]);

/** The limits of a strategy in a market, the one that is used most first. */
export function limitUse(
  { marketId, strategy, position, book, run }: StrategyPanelSnapshot,
  limits: readonly LimitRow[],
): readonly LimitUse[] {
  const own = limits.filter(
    ({ of, limit }) => (of === marketId || of === strategy) && !ofBot.has(limit),
  );
  const { base, dayPnl } = position;
  const { mid } = book;
  const measured = { base: Number(base), mid, orders: null, dayPnl, runPnl: run.pnl };
  return useOf(own, measured);
}

/** The limits of the whole bot, as `limitUse`. */
export function botLimitUse({ limits, portfolio, panels }: DashboardSnapshot): readonly LimitUse[] {
  const shared = limits.find(({ limit }) => ofBot.has(limit));
  const own = limits.filter((row) => row.of === null || row === shared);
  const orders = panels.reduce((sum, panel) => sum + panel.orders.length, 0);
  const dayPnl = portfolio.pnl.day;
  return useOf(own, { base: null, mid: null, orders, dayPnl, runPnl: null });
}

function useOf(limits: readonly LimitRow[], measured: Measured): readonly LimitUse[] {
  return limits
    .flatMap(({ limit, value }): LimitUse[] => {
      // The hardest step of a trigger is written last: `warn 100, halt 500`.
      const [, most = "", unit = ""] = /(?:^|\s)([\d.]+)( quote)?$/.exec(value) ?? [];
      const use = used[limit]?.(measured, unit !== "") ?? null;
      if (use === null || Number(most) === 0) return [];
      const share = Number((use / Number(most)).toFixed(3));
      return [{ limit, share, text: `${Number(use.toPrecision(4))} of ${most}${unit}` }];
    })
    .sort((left, right) => right.share - left.share);
}

function lossOf(pnl: string | null): number | null {
  return pnl === null ? null : Math.max(0, -Number(pnl));
}
