import type { ComponentChildren } from "preact";
import { states } from "../../src/dashboard/strategy-state.ts";
import { amountText, moneyText, priceText, shareText } from "./format.ts";
import type { Shown, ShownRow } from "./live.ts";
import { linkOfRow } from "./place.ts";
import { BotSign, LimitUsed, StateSign } from "./signs.tsx";

/** A column of the overview. */
export interface Column {
  readonly title: string;
  readonly hint?: string;
  readonly isNumber?: boolean;
  /** Not on a phone, but for its total. */
  readonly isWide?: boolean;
  readonly class?: string;
  /** What it is sorted by; undefined comes first. */
  readonly by: (row: ShownRow) => string | number | undefined;
  readonly cell: (row: ShownRow) => ComponentChildren;
  readonly total?: (shown: Shown) => ComponentChildren;
  readonly totalTitle?: string;
}

const stateOrder = Object.keys(states);
const hint = "in the reporting currency";

function money(title: string, of: "day" | "total"): Column {
  const textOf = (row: Pick<ShownRow, typeof of>): string => moneyText(row[of]);
  const total = ({ totals }: Shown): string => textOf(totals);
  return { title, hint, isNumber: true, by: (row) => row[of], cell: textOf, total };
}

function count(title: string, of: "orders" | "fills"): Column {
  const countOf = (row: Pick<ShownRow, typeof of>): number => row[of];
  const total = ({ totals }: Shown): number => countOf(totals);
  return { title, isNumber: true, isWide: true, by: countOf, cell: countOf, total };
}

export const columns: readonly Column[] = [
  {
    title: "Bot",
    by: ({ bot }) => bot?.name,
    cell: ({ bot }) => bot !== undefined && <BotSign bot={bot} />,
  },
  {
    title: "Strategy",
    by: ({ name }) => name,
    cell: (row) => <a href={linkOfRow(row)}>{row.name}</a>,
    total: () => "All",
  },
  {
    title: "Market",
    by: ({ ticker }) => ticker,
    cell: ({ ticker }) => ticker,
    total: ({ totals }) => totals.currency ?? "no common currency",
    totalTitle: "Currency",
  },
  {
    title: "State",
    class: "state",
    by: ({ state }) => stateOrder.indexOf(state),
    cell: (row) => (
      <>
        <StateSign state={row.state} />
        <Reasons row={row} />
      </>
    ),
    total: ({ totals, rows }) => `${totals.quoting} of ${Object.keys(rows).length} quoting`,
    totalTitle: "Quoting",
  },
  {
    title: "Position",
    isNumber: true,
    by: ({ exposure }) => exposure,
    cell: ({ position, ticker }) => (
      <>
        {amountText(position)} <small>{ticker.split("/")[0] ?? ""}</small>
      </>
    ),
  },
  {
    title: "Value",
    hint,
    isNumber: true,
    isWide: true,
    by: ({ exposure }) => exposure,
    cell: ({ exposure }) => amountOr(exposure),
    total: ({ totals }) => amountOr(totals.exposure),
  },
  money("PnL today", "day"),
  money("PnL in all", "total"),
  {
    title: "Quoted",
    hint: "share of this run in which the obligation was kept; without one, bid and ask",
    isNumber: true,
    by: ({ uptime }) => uptime && (uptime.obligation ?? Math.min(uptime.bid ?? 1, uptime.ask ?? 1)),
    cell: ({ uptime }) =>
      uptime?.obligation === undefined
        ? `${shareText(uptime?.bid)} / ${shareText(uptime?.ask)}`
        : shareText(uptime.obligation),
  },
  {
    title: "Limit used",
    isNumber: true,
    by: ({ limit }) => limit?.share,
    cell: ({ limit }) => <LimitUsed limit={limit} />,
    total: ({ totals }) => <LimitUsed limit={totals.limit} />,
  },
  {
    title: "Mid",
    isNumber: true,
    isWide: true,
    by: ({ mid }) => mid,
    cell: ({ mid }) => (mid === undefined ? "–" : priceText(mid)),
  },
  count("Orders", "orders"),
  count("Fills", "fills"),
];

/** Why a side is not quoted, once when both have the same reason. */
function Reasons({ row: { reason, because } }: { readonly row: ShownRow }) {
  const { BUY, SELL } = reason;
  const sides =
    BUY !== undefined && BUY === SELL
      ? [`no bid, no ask: ${BUY}`]
      : [BUY && `no bid: ${BUY}`, SELL && `no ask: ${SELL}`];
  const texts = [because, ...sides].filter((text) => text !== undefined);
  if (texts.length === 0) return null;
  return <small class="reasons">{texts.join("; ")}</small>;
}

function amountOr(value: number | undefined): string {
  return value === undefined ? "–" : amountText(value);
}
