import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { states } from "../../src/dashboard/strategy-state.ts";
import { useActions } from "./actions.tsx";
import { amountText, moneyText, priceText, shareText } from "./format.ts";
import { scopedIntent } from "./intents.ts";
import { isOfSeveral, type Shown, type ShownRow } from "./live.ts";
import { linkOfRow } from "./place.ts";
import { BotSign, LimitUsed, StateSign } from "./signs.tsx";

interface Column {
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

const columns: readonly Column[] = [
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

/** A row for each strategy in each market, and the totals. */
export function OverviewTable({ shown }: { readonly shown: Shown }) {
  const [sort, setSort] = useState({ title: "State", isDown: false });
  const [filter, setFilter] = useState("");
  const { mayAct, start } = useActions();
  const ofBots = isOfSeveral(shown);
  const seen = columns.filter(({ title }) => title !== "Bot" || ofBots);
  const sorted = columns.find(({ title }) => title === sort.title);
  const words = filter.toLowerCase().split(/\s+/);
  const rows = Object.values(shown.rows)
    .filter((row) => {
      const text = [row.bot?.name, row.name, row.ticker, states[row.state][1]].join(" ");
      return words.every((word) => text.toLowerCase().includes(word));
    })
    .sort((left, right) => {
      const a = sorted?.by(left) ?? Number.NEGATIVE_INFINITY;
      const b = sorted?.by(right) ?? Number.NEGATIVE_INFINITY;
      const order = a < b ? -1 : a > b ? 1 : left.name.localeCompare(right.name);
      return sort.isDown ? -order : order;
    });
  return (
    <section class="panel overview">
      <div class="overview-head">
        <h2>Overview</h2>
        <label>
          Filter
          <input
            type="search"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        </label>
      </div>
      <div class="scroll" tabIndex={0} role="region" aria-label="Overview, scrolls sideways">
        <table class="overview-table">
          <thead>
            <tr>
              {seen.map(({ title, hint, isNumber }) => (
                <th
                  key={title}
                  class={isNumber === true ? "number" : ""}
                  aria-sort={
                    sort.title !== title ? "none" : sort.isDown ? "descending" : "ascending"
                  }
                >
                  <button
                    type="button"
                    class="sort"
                    title={hint}
                    onClick={() => setSort({ title, isDown: sort.title === title && !sort.isDown })}
                  >
                    {title}
                    {sort.title === title && (
                      <span aria-hidden="true">{sort.isDown ? " ↓" : " ↑"}</span>
                    )}
                  </button>
                </th>
              ))}
              {mayAct && <th>Actions</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => {
              const action = standsStill(row) ? "resume" : "pause";
              return (
                <tr
                  key={`${row.bot?.name ?? ""} ${row.name}`}
                  class={`row ${states[row.state][0]}`}
                >
                  {seen.map((column) => (
                    <Cell key={column.title} column={column} isWide={column.isWide === true}>
                      {column.cell(row)}
                    </Cell>
                  ))}
                  {mayAct && (
                    <td class="row-actions">
                      {row.bot?.mayAct !== false && (
                        <button
                          type="button"
                          class="small"
                          onClick={() => start(scopedIntent(action, row.strategy, row.bot))}
                        >
                          {action === "resume" ? "Resume" : "Pause"}
                          <span class="for-readers">
                            {" "}
                            {row.bot?.name} {row.name}
                          </span>
                        </button>
                      )}
                    </td>
                  )}
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              {seen.map((column) => (
                <Cell
                  key={column.title}
                  column={{ ...column, title: column.totalTitle ?? column.title }}
                  isWide={column.total === undefined}
                >
                  {column.total?.(shown)}
                </Cell>
              ))}
              {mayAct && <td class="wide-only" />}
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}

function Cell(props: {
  readonly column: Column;
  readonly isWide: boolean;
  readonly children: ComponentChildren;
}) {
  const { column, isWide, children } = props;
  if (column.title === "Strategy") return <th scope="row">{children}</th>;
  const classes = [column.class, column.isNumber === true && "number", isWide && "wide-only"];
  return (
    <td data-title={column.title} class={classes.filter(Boolean).join(" ")}>
      {children}
    </td>
  );
}

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

function standsStill({ state }: ShownRow): boolean {
  return ["halted", "halt", "left", "paused", "pause"].includes(state);
}

function amountOr(value: number | undefined): string {
  return value === undefined ? "–" : amountText(value);
}
