import { describedText } from "../domain/described.ts";
import { plainText } from "../base/plain-text.ts";
import { rounded } from "../base/rounded.ts";
import { denialsText } from "../metrics/denials.ts";
import type { MarkoutBasis } from "../metrics/markouts.ts";
import type { SummaryFields } from "../metrics/summary.ts";
import type { LatencyQuantiles } from "./report-figures.ts";
import type { ReportData, ReportStrategy } from "./report-data.ts";
import { modelsText } from "./used-models.ts";
import {
  type MarkoutsByHorizon,
  markoutText,
  midAgeText,
  type PnlText,
  reactionText,
  type StatisticsFields,
} from "./replay-result.ts";

/** A report as Markdown: the figures of `report.html` in tables. Text from outside cannot make markup. */
export function reportMarkdown({ document, strategies }: ReportData): string {
  const { recording, versions, totals, models } = document;
  const symbols = recording.markets.map(({ symbol }) => symbol).join(", ");
  const parts = [
    `# Replay of ${escaped(symbols)}`,
    `${timeText(recording.fromMs)} to ${timeText(recording.toMs)} UTC, ${document.events} events.`,
  ];
  parts.push(
    "## Not modelled",
    document.notModelled.map((text) => `- ${escaped(text)}`).join("\n"),
  );
  if (document.warnings.length > 0) {
    parts.push("## Warnings", document.warnings.map((text) => `- ${escaped(text)}`).join("\n"));
  }
  const { riskSteps = [] } = document;
  if (riskSteps.length > 0) {
    const rows = riskSteps.map(({ atMs, strategy, trigger, step, message }) => [
      timeText(atMs),
      step,
      trigger,
      strategy === null ? message : `${strategy}: ${message}`,
    ]);
    parts.push("## Risk ladder", table(["time, UTC", "step", "trigger", "reason"], rows));
  }
  if (strategies.length > 1 && totals !== null) {
    const rows = [
      ...pnlRows(totals.pnl, totals.currency),
      ["max drawdown", totals.maxDrawdown],
      ["Sharpe ratio, 1 h", sharpeText(totals.sharpe)],
    ];
    parts.push("## All strategies", table(["figure", "value"], rows));
  }
  for (const strategy of strategies) {
    const result = document.strategies?.find(({ name }) => name === strategy.name) ?? document;
    parts.push(`## ${escaped(strategy.name)}`, ...strategyParts(strategy, result));
  }
  parts.push(
    "## How it was made",
    table(
      ["what", "value"],
      [
        ["recording", recording.source],
        ["models", modelsText(models)],
        ...document.config.strategies.map(({ name, plugin, seed, params, defaults }) => [
          name,
          `${plugin}, seed ${seed}: ${JSON.stringify(params)}, defaults ${JSON.stringify(defaults)}`,
        ]),
        ["versions", `Touchline ${versions.touchline}, Node ${versions.node}`],
        ["decisions", document.decisionsHash],
      ],
    ),
  );
  return `${parts.join("\n\n")}\n`;
}

type Figures = StatisticsFields &
  Pick<
    SummaryFields,
    | "fills"
    | "makerFills"
    | "volumeQuote"
    | "denied"
    | "described"
    | "uptimeBid"
    | "uptimeAsk"
    | "uptimeObligation"
  >;

function strategyParts(strategy: ReportStrategy, result: Figures): readonly string[] {
  const { base, quote, latency } = strategy;
  const { pnl, inventoryStatistics: inventory, markouts, markoutsBySide: sides } = result;
  const rows = [
    ...(pnl === null ? [] : pnlRows(pnl, quote)),
    ["max drawdown", result.maxDrawdown ?? "none"],
    ["Sharpe ratio, 1 h", sharpeText(result.sharpe)],
    ["fills (maker)", `${result.fills} (${result.makerFills})`],
    [`volume, ${quote}`, result.volumeQuote ?? "none"],
    ["fill ratio", String(result.fillRatio ?? "none")],
    ["commands a fill", String(result.orderToTradeRatio ?? "none")],
    ["uptime bid, ask", `${shareText(result.uptimeBid)}, ${shareText(result.uptimeAsk)}`],
    ...(result.uptimeObligation === null
      ? []
      : [["time within the obligation", shareText(result.uptimeObligation)]]),
    ["commands a filled order", String(result.commandsPerFilledOrder ?? "none")],
    ["reaction", result.reaction === null ? "none" : reactionText(result.reaction)],
    ["age of the mid at fills, ms", midAgeText(result.midAgeMs)],
  ];
  if (result.described !== undefined) rows.push(["own numbers", describedText(result.described)]);
  if (result.denied.length > 0) rows.push(["denied", denialsText(result.denied)]);
  if (inventory !== null) {
    const { mean, min, max } = inventory;
    rows.push([`position, ${base}`, `mean ${rounded(mean)}, ${min} to ${max}`]);
  }
  const horizons = Object.keys(markouts ?? {});
  const bpsRow = (name: string, of: MarkoutsByHorizon | undefined, basis: MarkoutBasis) => [
    name,
    ...horizons.map((horizon) => markoutText(of?.[horizon] ?? null, basis, 3)),
  ];
  const quantileRow = (name: string, { p50, p99, max }: LatencyQuantiles) => [
    name,
    ...[p50, p99, max].map((value) => String(value ?? "–")),
  ];
  return [
    table(["figure", "value"], rows),
    table(
      ["markout ± standard error, bps", ...horizons],
      [
        bpsRow("mid to mid, all", markouts ?? undefined, "midToMid"),
        bpsRow("buys", sides?.buy, "midToMid"),
        bpsRow("sells", sides?.sell, "midToMid"),
        bpsRow("fill to mid, all", markouts ?? undefined, "fillToMid"),
        bpsRow("buys", sides?.buy, "fillToMid"),
        bpsRow("sells", sides?.sell, "fillToMid"),
      ],
    ),
    table(
      [`level (${base})`, "orders", "placed", "fills", "filled", "queue ahead", ...horizons],
      (result.levels ?? []).map(
        ({ key, orders, placed, fills, filled, queueAhead, markouts: of }) =>
          [key, orders, placed, fills, filled, queueAhead, ...horizons.map((one) => of[one])].map(
            (value) => String(value ?? "–"),
          ),
      ),
    ),
    table(
      ["latency, ms", "p50", "p99", "max"],
      [
        quantileRow("decision to exchange", latency.entry),
        quantileRow("exchange to bot", latency.acknowledgement),
        quantileRow("exchange to first fill", latency.firstFill),
      ],
    ),
  ];
}

function pnlRows(pnl: PnlText, unit: string): string[][] {
  const { spread, inventory, fees, total } = pnl;
  return [
    [`PnL, ${unit}`, total],
    ["from the spread", spread],
    ["from inventory", inventory],
    ["fees", fees],
  ];
}

function sharpeText(sharpe: StatisticsFields["sharpe"]): string {
  if (sharpe === null) return "none";
  return `${sharpe.perHour} (95 %: ${sharpe.low} to ${sharpe.high})`;
}

const shareText = (share: number | null): string =>
  share === null ? "-" : `${(share * 100).toFixed(1)} %`;

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replace("T", " ");
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Text in which nothing is markup. A line of dashes under a table's header stays one. */
function escaped(text: string): string {
  if (text === "---") return text;
  return (
    plainText(text, 2_000)
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(/[\\`*_[\]|~!#$>]/g, (mark) => `\\${mark}`)
      // GitHub and others make links of bare addresses.
      .replaceAll("://", "\\://")
      .replaceAll(/\bwww\./gi, (begin) => `${begin.slice(0, -1)}\\.`)
  );
}
