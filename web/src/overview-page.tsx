import { useState } from "preact/hooks";
import { useActions } from "./actions.tsx";
import { scopedIntent } from "./intents.ts";
import { Foreign } from "./foreign.tsx";
import { amountText, moneyText, priceText, shareText } from "./format.ts";
import type { Shown, ShownRow } from "./live.ts";
import { Log } from "./log.tsx";
import { healthSigns, modeTexts } from "./state-text.ts";
import { states } from "../../src/dashboard/strategy-state.ts";

/** What is wrong, then a row for each strategy in each market, then the totals. */
export function OverviewPage({ shown }: { readonly shown: Shown }) {
  return (
    <>
      <Problems shown={shown} />
      <OverviewTable shown={shown} />
      <Foreign shown={shown} />
      <Facts shown={shown} />
      {!isOfSeveral(shown) && <Log shown={shown} />}
    </>
  );
}

/** Of several bots, whose logs are in their own pages. */
function isOfSeveral({ rows }: Shown): boolean {
  return Object.values(rows).some(({ bot }) => bot !== undefined);
}

/** A problem of many strategies names these first. */
const NAMED = 4;

function Problems({ shown }: { readonly shown: Shown }) {
  const { problems } = shown;
  return (
    <section class="problems" aria-label="Problems" aria-live="polite">
      {problems.length === 0 && <p class="muted">No problems.</p>}
      <ul>
        {problems.map(({ level, of, text }) => (
          <li key={text} class={level}>
            <i aria-hidden="true">{healthSigns[level]}</i> {of.length === 0 && <b>the bot</b>}
            {of.slice(0, NAMED).map((name, at) => (
              <span key={name}>
                {at > 0 && ", "}
                <a href={linkOf(shown, name)}>{name}</a>
              </span>
            ))}
            {of.length > NAMED && ` and ${of.length - NAMED} more`}: {text}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Column {
  readonly title: string;
  readonly hint?: string;
  /** What it is sorted by. */
  readonly of: (row: ShownRow) => string | number;
  readonly isNumber?: boolean;
}

const stateOrder = Object.keys(states);
const unknown = Number.NEGATIVE_INFINITY;

function columnsOf(currency: string, hasBots: boolean): readonly Column[] {
  const ofBot: Column = { title: "Bot", of: ({ bot }) => bot?.name ?? "" };
  return [
    ...(hasBots ? [ofBot] : []),
    { title: "Strategy", of: ({ name }) => name },
    { title: "Market", of: ({ ticker }) => ticker },
    { title: "State", of: ({ state }) => stateOrder.indexOf(state) },
    { title: "Position", of: ({ exposure }) => exposure ?? unknown, isNumber: true },
    {
      title: "Value",
      hint: `in ${currency}`,
      of: ({ exposure }) => exposure ?? unknown,
      isNumber: true,
    },
    { title: "PnL today", hint: `in ${currency}`, of: ({ day }) => day ?? unknown, isNumber: true },
    {
      title: "PnL in all",
      hint: `in ${currency}`,
      of: ({ total }) => total ?? unknown,
      isNumber: true,
    },
    {
      title: "Quoted",
      hint: "share of this run in which the obligation was kept; without one, bid and ask",
      of: (row) => quotedShare(row) ?? unknown,
      isNumber: true,
    },
    { title: "Limit used", of: ({ limit }) => limit?.share ?? unknown, isNumber: true },
    { title: "Mid", of: ({ mid }) => mid ?? unknown, isNumber: true },
    { title: "Orders", of: ({ orders }) => orders, isNumber: true },
    { title: "Fills", of: ({ fills }) => fills, isNumber: true },
  ];
}

function OverviewTable({ shown }: { readonly shown: Shown }) {
  const [sort, setSort] = useState({ title: "State", isDown: false });
  const [filter, setFilter] = useState("");
  const { mayAct, start } = useActions();
  const { totals } = shown;
  const currency = totals.currency ?? "the quote token";
  const hasBots = isOfSeveral(shown);
  const columns = columnsOf(currency, hasBots);
  const words = filter.toLowerCase().split(/\s+/);
  const rows = Object.values(shown.rows)
    .filter((row) => {
      const text =
        `${row.bot?.name ?? ""} ${row.name} ${row.ticker} ${states[row.state][1]}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((left, right) => {
      const column = columns.find(({ title }) => title === sort.title);
      const [a, b] = [column?.of(left) ?? 0, column?.of(right) ?? 0];
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
              {columns.map(({ title, hint, isNumber }) => (
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
            {rows.map((row) => (
              <Row key={`${row.bot?.name ?? ""} ${row.name}`} row={row}>
                {mayAct && (
                  <td class="row-actions">
                    <button
                      type="button"
                      class="small"
                      onClick={() =>
                        start(scopedIntent(standsStill(row) ? "resume" : "pause", row.strategy))
                      }
                    >
                      {standsStill(row) ? "Resume" : "Pause"}
                      <span class="for-readers"> {row.name}</span>
                    </button>
                  </td>
                )}
              </Row>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All</th>
              {hasBots && <td class="wide-only" />}
              <td data-title="Currency">{totals.currency ?? "no common currency"}</td>
              <td data-title="Quoting">
                {totals.quoting} of {Object.keys(shown.rows).length} quoting
              </td>
              <td class="number wide-only" />
              <td class="number" data-title="Value">
                {amountOr(totals.exposure)}
              </td>
              <td class="number" data-title="PnL today">
                {moneyText(totals.day)}
              </td>
              <td class="number" data-title="PnL in all">
                {moneyText(totals.total)}
              </td>
              <td class="number wide-only" />
              <td class="number" data-title="Limit used">
                <LimitUsed limit={totals.limit} />
              </td>
              <td class="number wide-only" />
              <td class="number" data-title="Orders">
                {totals.orders}
              </td>
              <td class="number" data-title="Fills">
                {totals.fills}
              </td>
              {mayAct && <td class="wide-only" />}
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}

function Row({ row, children }: { readonly row: ShownRow; readonly children: unknown }) {
  const [health, stateText] = states[row.state];
  const { uptime } = row;
  const base = row.ticker.split("/")[0] ?? "";
  return (
    <tr class={`row ${health}`}>
      {row.bot !== undefined && (
        <td data-title="Bot">
          <span class={`mode ${row.bot.mode}`}>{modeTexts[row.bot.mode][0]}</span>{" "}
          <a href={`${row.bot.url}/`}>{row.bot.name}</a>
        </td>
      )}
      <th scope="row">
        <a href={linkOfRow(row)}>{row.name}</a>
      </th>
      <td data-title="Market">{row.ticker}</td>
      <td data-title="State" class="state">
        <span class={`state-sign ${health}`}>
          <i aria-hidden="true">{healthSigns[health]}</i> {stateText}
        </span>
        <Reasons row={row} />
      </td>
      <td data-title="Position" class="number">
        {amountText(row.position)} <small>{base}</small>
      </td>
      <td data-title="Value" class="number wide-only">
        {amountOr(row.exposure)}
      </td>
      <td data-title="PnL today" class="number">
        {moneyText(row.day)}
      </td>
      <td data-title="PnL in all" class="number">
        {moneyText(row.total)}
      </td>
      <td data-title="Quoted" class="number">
        {uptime?.obligation === undefined
          ? `${shareText(uptime?.bid)} / ${shareText(uptime?.ask)}`
          : shareText(uptime.obligation)}
      </td>
      <td data-title="Limit used" class="number">
        <LimitUsed limit={row.limit} />
      </td>
      <td data-title="Mid" class="number wide-only">
        {row.mid === undefined ? "–" : priceText(row.mid)}
      </td>
      <td data-title="Orders" class="number wide-only">
        {row.orders}
      </td>
      <td data-title="Fills" class="number wide-only">
        {row.fills}
      </td>
      {children as preact.ComponentChildren}
    </tr>
  );
}

/** Why a side is not quoted, once when both have the same reason. */
function Reasons({ row: { reason, because } }: { readonly row: ShownRow }) {
  const { BUY, SELL } = reason;
  const sides =
    BUY !== undefined && BUY === SELL
      ? [`no bid, no ask: ${BUY}`]
      : [
          ...(BUY === undefined ? [] : [`no bid: ${BUY}`]),
          ...(SELL === undefined ? [] : [`no ask: ${SELL}`]),
        ];
  const texts = [...(because === undefined ? [] : [because]), ...sides];
  if (texts.length === 0) return null;
  return <small class="reasons">{texts.join("; ")}</small>;
}

export function LimitUsed({ limit }: { readonly limit: ShownRow["limit"] }) {
  if (limit === undefined) return <>–</>;
  const { limit: name, share, text } = limit;
  const level = share >= 1 ? "bad" : share >= 0.8 ? "warn" : "good";
  return (
    <span class={`used ${level}`} title={`${name}: ${text}`}>
      {Math.round(share * 100)} % <small>{name}</small>
    </span>
  );
}

function Facts({ shown }: { readonly shown: Shown }) {
  const { requests, tickToOrderUs, guard, version } = shown;
  return (
    <p class="facts muted">
      <span>
        requests {requests.perSecond.toFixed(1)} of {requests.limit} a second
      </span>
      {tickToOrderUs.p50 !== undefined && (
        <span>
          tick to order {tickToOrderUs.p50} µs, p99 {tickToOrderUs.p99 ?? "–"} µs
        </span>
      )}
      <span>{guard === "connected" ? "guard connected" : "no guard"}</span>
      <span>Touchline {version}</span>
    </p>
  );
}

function quotedShare({ uptime }: ShownRow): number | undefined {
  if (uptime === undefined) return undefined;
  return uptime.obligation ?? Math.min(uptime.bid ?? 1, uptime.ask ?? 1);
}

function standsStill({ state }: ShownRow): boolean {
  return ["halted", "halt", "left", "paused", "pause"].includes(state);
}

function amountOr(value: number | undefined): string {
  return value === undefined ? "–" : amountText(value);
}

/** Of a row by its key, which in an overview of several bots leads to the bot's own page. */
function linkOf({ rows }: Shown, key: string): string {
  const row = rows[key];
  return row === undefined ? linkTo(key) : linkOfRow(row);
}

function linkOfRow({ bot, name }: ShownRow): string {
  return bot === undefined ? linkTo(name) : `${bot.url}/${linkTo(name)}`;
}

function linkTo(name: string): string {
  return `#market=${encodeURIComponent(name)}`;
}
