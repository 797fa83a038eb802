import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { states } from "../../src/dashboard/strategy-state.ts";
import { useActions } from "./actions.tsx";
import { scopedIntent } from "./intents.ts";
import { isOfSeveral, type Shown, type ShownRow } from "./live.ts";
import { type Column, columns } from "./overview-columns.tsx";

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

function standsStill({ state }: ShownRow): boolean {
  return ["halted", "halt", "left", "paused", "pause"].includes(state);
}
