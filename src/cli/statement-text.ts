import { escapeHtml } from "../base/html-text.ts";
import { rounded } from "../base/rounded.ts";
import type { StatementRow } from "../metrics/account-rows.ts";
import type { AccountJournal } from "./account-journal.ts";
import type { DayStatement } from "./statement.ts";
import { right, table } from "./table.ts";
import { spanText } from "./time-text.ts";
import { symbolOf } from "./token-of.ts";

type Names = Pick<AccountJournal, "markets" | "symbols">;

const positionTitles = [
  "strategy",
  "market",
  "opening position",
  "closing position",
  "fills",
  "volume",
  "fees",
  "realised",
  "unrealised",
  "PnL",
] as const;
const uptimeTitles = ["strategy", "market", "bids", "asks", "obligation"] as const;
const movementTitles = ["time (UTC)", "kind", "amount", "transaction"] as const;

/** The tables of a statement: a title, the columns' titles, and the rows. */
function tablesOf({ positions, movements }: DayStatement, names: Names) {
  const { symbols } = names;
  const market = (id: string): string =>
    names.markets.find(({ marketId }) => marketId === id)?.ticker ?? id;
  return [
    {
      title: "Positions and PnL",
      columns: positionTitles,
      rows: positions.map((row) => positionCells(row, market(row.market), names)),
    },
    {
      title: "Uptime: share of the time with resting quotes, and within the obligation",
      columns: uptimeTitles,
      rows: positions.map((row) => [
        row.strategy,
        market(row.market),
        percent(row.uptimeBid),
        percent(row.uptimeAsk),
        percent(row.uptimeObligation),
      ]),
    },
    {
      title: "Deposits, withdrawals and transfers",
      columns: movementTitles,
      rows: movements.map(({ time, type, token, amount, txHash }) => [
        time,
        type,
        `${amount} ${symbolOf(symbols, token)}`,
        txHash,
      ]),
    },
  ];
}

function positionCells(row: StatementRow, market: string, { symbols }: Names): readonly string[] {
  const quote = symbolOf(symbols, row.quoteToken);
  const money = (amount: string | null): string =>
    amount === null ? "unknown" : `${rounded(amount)} ${quote}`;
  const byHand = row.fillsByHand === 0 ? "" : ` (${row.fillsByHand} by hand)`;
  const corrected = row.corrected === "0" ? "" : ` (${row.corrected} set by hand)`;
  return [
    row.strategy,
    market,
    row.openingPosition,
    `${row.closingPosition}${corrected}`,
    `${row.fills}${byHand}`,
    money(row.volumeQuote),
    Object.entries(row.fees)
      .map(([token, fee]) => `${fee} ${symbolOf(symbols, token)}`)
      .join(", ") || "none",
    money(row.realised),
    money(row.closingUnrealised),
    money(row.pnl),
  ];
}

function percent(share: number | null): string {
  return share === null ? "-" : `${(share * 100).toFixed(2)}%`;
}

function introduction({ account, ranMs, spanMs }: DayStatement): string {
  return `Account ${account ?? "unknown"}. The bot ran for ${spanText(ranMs)} of ${spanText(spanMs)}.`;
}

function totalText({ total }: DayStatement, { symbols }: Names): string {
  const currency = total.currency === null ? "" : ` ${symbolOf(symbols, total.currency)}`;
  const shown = (amount: string | null) =>
    amount === null ? "unknown" : `${rounded(amount)}${currency}`;
  return `Total: PnL ${shown(total.pnl)}, of it realised ${shown(total.realised)}, volume ${shown(total.volume)}, ${total.fills} fills.`;
}

export function statementText(statement: DayStatement, names: Names): string {
  return [
    `Statement of ${statement.day} (UTC). ${introduction(statement)}`,
    ...tablesOf(statement, names).flatMap(({ title, columns, rows }) =>
      rows.length === 0 ? [] : ["", title, table(columns.map(aligned), rows)],
    ),
    "",
    totalText(statement, names),
  ].join("\n");
}

const texts: readonly string[] = [
  "strategy",
  "market",
  "fees",
  "time (UTC)",
  "kind",
  "transaction",
];

function aligned(title: string) {
  return texts.includes(title) ? title : right(title);
}

const style =
  "body{font:14px/1.5 system-ui,sans-serif;margin:2em;color:#111;background:#fff}table{border-collapse:collapse;margin-bottom:1em}" +
  "th,td{text-align:left;padding:.25em .75em;border-bottom:1px solid #bbb}td{font-variant-numeric:tabular-nums}";

/** A page that needs nothing else, to send to a client. */
export function statementPage(statement: DayStatement, names: Names): string {
  const title = `Statement of ${statement.day} (UTC)`;
  const row = (cells: readonly string[], tag: "td" | "th"): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join("")}</tr>`;
  const sections = tablesOf(statement, names).map(({ title: heading, columns, rows }) => {
    const body =
      rows.length === 0
        ? "<p>None.</p>"
        : `<table><thead>${row(columns, "th")}</thead><tbody>${rows.map((cells) => row(cells, "td")).join("")}</tbody></table>`;
    return `<h2>${escapeHtml(heading)}</h2>${body}`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${style}</style></head><body><h1>${title}</h1><p>${escapeHtml(introduction(statement))}</p>${sections.join("")}<p>${escapeHtml(totalText(statement, names))}</p></body></html>`;
}
