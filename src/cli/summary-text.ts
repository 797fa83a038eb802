import { netRows } from "./net-text.ts";
import { rounded } from "../base/rounded.ts";
import { symbolOf } from "./token-of.ts";
import { getOrMake } from "../base/get-or-make.ts";
import { counted } from "../base/counted.ts";
import type { SourceRow } from "../kernel/sources/sources.ts";
import type { CallTimeRow } from "../metrics/call-time-row.ts";
import { denialsText } from "../metrics/denials.ts";
import type { Summary, SummaryFields, SummaryLimit } from "../metrics/summary.ts";
import type { Portfolio } from "../metrics/portfolio.ts";
import type { UptimeShares } from "../journal/uptime-sum.ts";
import { describedText } from "../domain/described.ts";
import { pairs } from "./table.ts";
import type { Terminal } from "./terminal.ts";
import { spanText, timeText } from "./time-text.ts";

/** Formats a run's summary for people. `symbols` maps token ids to symbols; unknown tokens are shown by id. */
export function summaryText(
  summary: Summary,
  terminal: Terminal,
  symbols: ReadonlyMap<string, string> = new Map(),
): string {
  const parts = [
    `${terminal.bold("Summary")}  ${spanText(summary.durationMs)}`,
    ...(summary.dryRun === true
      ? ["  dry run: every quote and cancel below was signed, and none was sent"]
      : []),
    pairs([
      ...portfolioRows(summary, symbols),
      ...rowsOf(summary, terminal, symbols),
      ...meanRows(summary),
      ...netRows(summary.nets, symbols),
    ]),
  ];
  for (const strategy of summary.strategies ?? []) {
    parts.push(terminal.bold(strategy.name), pairs(rowsOf(strategy, terminal, symbols)));
  }
  const foreign = summary.foreignOrders;
  const perVolume = summary.requestsPerQuoteVolume;
  const ratio =
    perVolume === null ? "" : `, ${Number(perVolume.toPrecision(3))} for each unit of quote filled`;
  parts.push(
    pairs([
      ["  requests", `${summary.requests}${ratio}`],
      [
        "  foreign orders",
        foreign === null ? "unknown, the venue did not respond" : foreignText(foreign, summary),
      ],
      ...guardRows(summary),
      ["  signed with", summary.signer],
      ...(summary.strategyCalls ?? []).map(callRow),
      ...(summary.sources ?? []).map(sourceRow),
      ...driftRows(summary, terminal, symbols),
    ]),
  );
  parts.push(...limitLines(summary, terminal), ...riskLines(summary, terminal));
  return parts.join("\n");
}

/** To a dry run the orders of its bot are foreign ones, too. */
function foreignText(count: number, { dryRun }: Summary): string {
  return dryRun === true && count > 0
    ? `${count}, orders of the bot's real runs included; they were left as they are`
    : String(count);
}

/** One price source as a row of a table. */
export function sourceRow({ name, bid, ask, ...row }: SourceRow): readonly [string, string] {
  const { ageMs, lagMs, updates, doubts, problem } = row;
  const price = bid === null ? "no price" : bid === ask ? String(bid) : `${bid} / ${ask}`;
  const parts = [
    price,
    ...(ageMs === null ? [] : [`${Math.round(ageMs)} ms old`]),
    ...(lagMs === null ? [] : [`lag ${Math.round(lagMs)} ms`]),
    ...(updates === 0 ? [] : [counted(updates, "value")]),
    ...(doubts === 0 ? [] : [`${counted(doubts, "jump")} doubted`]),
    ...(problem === null ? [] : [problem]),
  ];
  return [`  source ${name}`, parts.join(", ")];
}

/** The limits that were derived, a line each. */
function limitLines({ derivedLimits = [] }: Summary, terminal: Terminal): readonly string[] {
  if (derivedLimits.length === 0) return [];
  return [terminal.bold("Derived limits"), pairs(limitRows(derivedLimits))];
}

/** The limits as rows of a table, one for each name and value: the markets or strategies that share it stand together. */
export function limitRows(limits: readonly SummaryLimit[]): (readonly [string, string])[] {
  const groups = new Map<string, SummaryLimit[]>();
  for (const each of limits) getOrMake(groups, `${each.limit} ${each.value}`, () => []).push(each);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const of = group.flatMap((each) => each.of ?? []);
    const place = of.length > MOST_PLACES ? `each of ${of.length}` : of.join(", ");
    return [[`  ${first.limit}${place === "" ? "" : `, ${place}`}`, first.value] as const];
  });
}

/** Of more places only their number is shown. */
const MOST_PLACES = 3;

/** The steps of the risk ladder, a line each; none when it did nothing. */
export function riskLines(
  { riskSteps = [] }: Pick<Summary, "riskSteps">,
  terminal: Terminal,
): readonly string[] {
  if (riskSteps.length === 0) return [];
  return [
    terminal.bold("Risk ladder"),
    ...riskSteps.map(({ atMs, step, message }) => `  ${timeText(atMs)}  ${step}: ${message}`),
  ];
}

function callRow({
  strategy,
  hook,
  count,
  p50Us,
  p99Us,
  maxUs,
}: CallTimeRow): readonly [string, string] {
  const [p50, p99, max] = [p50Us, p99Us, maxUs].map((us) => `${us.toFixed(0)} µs`);
  return [
    `  ${strategy}, ${hook}`,
    `${counted(count, "call")}, median ${p50}, 99 % under ${p99}, at most ${max}`,
  ];
}

function driftRows(
  { balanceDrift }: Summary,
  terminal: Terminal,
  symbols: ReadonlyMap<string, string>,
): (readonly [string, string])[] {
  if (balanceDrift === undefined) return [];
  return [["  balance drift", terminal.red(amounts(balanceDrift, symbols, true))]];
}

function guardRows({ guardedMs }: Summary): (readonly [string, string])[] {
  return guardedMs === undefined ? [] : [["  guarded", spanText(guardedMs)]];
}

/** The uptime of the whole is that of the worst strategy, so the mean stands below it. */
export function meanRows({
  strategies,
  meanUptime,
}: {
  readonly strategies?: readonly unknown[];
  readonly meanUptime: UptimeShares;
}): (readonly [string, string])[] {
  if (strategies === undefined) return [];
  return [["  mean uptime", `${uptimeText(meanUptime)} over the strategies; above is the worst`]];
}

/** The position over all runs, with its PnL in quote token. */
function positionRows(position: SummaryFields["position"]): (readonly [string, string])[] {
  if (position === undefined || position === null) return [];
  const { base, averagePrice, dayPnl, totalPnl, realisedPnl, unrealisedPnl } = position;
  const cost = averagePrice === null ? "" : ` at ${rounded(averagePrice)}`;
  const parts = `realised ${rounded(realisedPnl)}, unrealised ${rounded(unrealisedPnl ?? "unknown")}`;
  return [
    ["  PnL today", rounded(dayPnl ?? "unknown")],
    ["  PnL in all", `${rounded(totalPnl ?? "unknown")} over all runs: ${parts}`],
    ["  position", `${base} base${cost}`],
  ];
}

/** Several markets have no position in one token. */
function portfolioRows(
  { portfolio, position }: Summary,
  symbols: ReadonlyMap<string, string>,
): (readonly [string, string])[] {
  if (portfolio === undefined || position !== null) return [];
  const byToken = Object.entries(portfolio.pnlByToken).map(
    ([token, { total }]) => `${rounded(total ?? "unknown")} ${symbolOf(symbols, token)}`,
  );
  return [
    ["  all strategies", portfolioText(portfolio, symbols)],
    ["  PnL by token", byToken.join(", ")],
    ["  positions", amounts(portfolio.positions, symbols, true)],
  ];
}

/** The totals in the reporting currency. */
export function portfolioText(
  { currency, pnl, exposure }: Portfolio,
  symbols: ReadonlyMap<string, string> = new Map(),
): string {
  if (currency === null) return "no total, since no market converts their quote tokens";
  const [day, total, held] = [pnl.day, pnl.total, exposure].map((one) => rounded(one ?? "unknown"));
  return `PnL today ${day}, in all ${total}, exposure ${held} ${symbolOf(symbols, currency)}`;
}

function uptimesOf(fields: SummaryFields): UptimeShares {
  const { uptimeBid: bid, uptimeAsk: ask, uptimeObligation: obligation } = fields;
  return { bid, ask, obligation };
}

export function uptimeText({ bid, ask, obligation }: UptimeShares): string {
  const obliged = obligation === null ? "" : `, obligation ${percent(obligation)}`;
  return `bid ${percent(bid)}, ask ${percent(ask)}${obliged}`;
}

/** The rows of one strategy or of the totals. */
export function rowsOf(
  fields: SummaryFields,
  terminal: Terminal,
  symbols: ReadonlyMap<string, string>,
): (readonly [string, string])[] {
  const alarm = (count: number): string => (count === 0 ? "0" : terminal.red(String(count)));
  const left = fields.ordersLeft;
  const rows: (readonly [string, string])[] = [
    ...positionRows(fields.position),
    [
      "  quotes",
      `${fields.quotesPlaced} placed, ${fields.quotesReplaced} of them ${fields.quotesReplaced === 1 ? "a replacement" : "replacements"}; kept ${counted(fields.quotesKept, "time")}; ${fields.quotesCanceled} canceled`,
    ],
    ["  fills", `${fields.fills} (${fields.makerFills} maker, ${fields.takerFills} taker)`],
  ];
  if (fields.described !== undefined) rows.push(["  own numbers", describedText(fields.described)]);
  if (fields.denied.length > 0) rows.push(["  denied", terminal.red(denialsText(fields.denied))]);
  if (fields.takesPlaced > 0) rows.push(["  takes", `${fields.takesPlaced} sent`]);
  if (fields.stopsPlaced + fields.stopsTriggered > 0) {
    rows.push([
      "  stops",
      `${fields.stopsPlaced} placed; ${fields.stopsTriggered} fired, including legs`,
    ]);
  }
  if (fields.volumeBase !== null && fields.volumeQuote !== null) {
    rows.push(["  volume", `${fields.volumeBase} base, ${fields.volumeQuote} quote`]);
  }
  rows.push(
    ["  fees", amounts(fields.fees, symbols)],
    ["  inventory", amounts(fields.inventory, symbols, true)],
  );
  if (fields.realisedPnl !== null) {
    const open = fields.unrealisedPnl ?? "unknown";
    rows.push([
      fields.position === undefined ? "  PnL in quote" : "  PnL of this run",
      `realised ${rounded(fields.realisedPnl)}, unrealised ${rounded(open)}`,
    ]);
  }
  rows.push(
    ["  uptime", uptimeText(uptimesOf(fields))],
    ["  orders left", left === null ? terminal.red("unknown") : alarm(left)],
    [
      "  problems",
      `${alarm(fields.ordersRejected)} rejected, ${alarm(fields.unknownOutcomes)} unknown, ${counted(fields.bookResyncs, "book resync")}`,
    ],
  );
  if (fields.bookAudits > 0) {
    const differed = alarm(fields.bookAuditMismatches);
    rows.push(["  book audits", `${fields.bookAudits}, of which ${differed} differed`]);
  }
  if (fields.staleMs > 0) {
    rows.push([
      "  stale data",
      `${terminal.red(spanText(fields.staleMs))}, not part of the uptime`,
    ]);
  }
  if (fields.ownTradeLagP50Ms !== null) {
    rows.push([
      "  own trades",
      `public and own message apart by ${fields.ownTradeLagP50Ms} ms, 99 % under ${fields.ownTradeLagP99Ms} ms, at most ${fields.ownTradeLagMaxMs} ms`,
    ]);
  }
  if (fields.tickToOrderP50Us !== null) {
    rows.push([
      "  tick to order",
      `median ${fields.tickToOrderP50Us} µs, 99 % under ${fields.tickToOrderP99Us} µs`,
    ]);
  }
  return rows;
}

function amounts(
  byToken: Readonly<Record<string, string>>,
  symbols: ReadonlyMap<string, string>,
  isSigned = false,
): string {
  const texts = Object.entries(byToken).map(([token, amount]) => {
    const sign = isSigned && !amount.startsWith("-") && amount !== "0" ? "+" : "";
    return `${sign}${amount} ${symbolOf(symbols, token)}`;
  });
  return texts.length === 0 ? "none" : texts.join(", ");
}

function percent(share: number | null): string {
  return share === null ? "-" : `${(share * 100).toFixed(1)} %`;
}
