import { getOrMake } from "../base/get-or-make.ts";
import type { Entry } from "./entry.ts";
import { UptimeSum } from "./uptime-sum.ts";

/** The uptime of a strategy in a market over a run: shares of the time between Unix milliseconds; null where they are not known. */
export type UptimeRow = Readonly<Record<"strategy" | "market", string>> &
  Readonly<Record<"run" | "until", number>> &
  Readonly<Record<"from" | "uptimeBid" | "uptimeAsk" | "uptimeObligation", number | null>>;

type Traded = Pick<UptimeRow, "run" | "strategy" | "market">;

/** A row for each strategy in each market. */
export function* uptimeRows(run: number, entries: Iterable<Entry>): Generator<UptimeRow> {
  const rows = new Map<string, { readonly of: Traded; readonly sum: UptimeSum }>();
  let from: number | undefined;
  let until = 0;
  for (const entry of entries) {
    if (entry.type !== "measured") continue;
    const { fromMs, untilMs, parts } = entry.measured;
    from ??= fromMs;
    until = untilMs;
    for (const { strategy, marketId: market, upMs } of parts) {
      const made = () => ({ of: { run, strategy, market }, sum: new UptimeSum() });
      getOrMake(rows, `${strategy} ${market}`, made).sum.add(upMs);
    }
  }
  for (const { of, sum } of rows.values()) {
    const { bid, ask, obligation } = sum.sharesOf(until - (from ?? until));
    const shares = { uptimeBid: bid, uptimeAsk: ask, uptimeObligation: obligation };
    yield { ...of, from: from ?? null, until, ...shares };
  }
}
