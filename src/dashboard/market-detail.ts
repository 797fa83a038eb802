import type { MarketDetail } from "./api-schema.ts";
import { limitUse } from "./limit-use.ts";
import { brief } from "./overview.ts";
import type { DashboardSnapshot } from "./snapshot.ts";

const FILLS = 50;

/** One strategy in one market, beside its row of the overview. Lists that grow are objects, so that a patch holds only what is new. Undefined when no strategy has this name. */
export function marketDetail(snapshot: DashboardSnapshot, name: string): MarketDetail | undefined {
  const panel = snapshot.panels.find((one) => one.name === name);
  if (panel === undefined) return undefined;
  const { limits, balances, calls, sources } = snapshot;
  const { denied, described, counts, position, book, run, marketId, strategy, series } = panel;
  const symbols = panel.ticker.split("/");
  return {
    name,
    denied,
    described,
    counts,
    position,
    book,
    orders: Object.fromEntries(
      panel.orders.map((order, at) => [
        order.orderId ?? `unsigned ${at + 1}`,
        { ...order, queueAhead: brief(order.queueAhead) },
      ]),
    ),
    fills: Object.fromEntries(panel.fills.slice(0, FILLS).map((fill) => [fill.fill, fill])),
    point: panel.history.at(-1) ?? null,
    series,
    run,
    markouts: Object.fromEntries(panel.markouts.map((row) => [row.horizonMs, row])),
    limits: limitUse(panel, limits),
    configured: limits.filter(({ of }) => of === null || of === marketId || of === strategy),
    balances: balances.filter(({ symbol }) => symbols.includes(symbol)),
    calls: calls.filter((row) => row.strategy === strategy),
    sources,
  };
}
