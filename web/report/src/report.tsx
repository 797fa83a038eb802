import type { ReportData } from "../../../src/backtest/report-data.ts";
import type { ReplayResult, ReplayStrategyResult } from "../../../src/backtest/replay-result.ts";
import type { ResultDocument } from "../../../src/backtest/result-document.ts";
import { RiskSteps } from "./risk-steps.tsx";
import { StrategySection } from "./strategy-section.tsx";
import { Tiles, totalTiles } from "./tiles.tsx";
import { namesOf } from "./names.ts";
import { dateText, lengthText } from "./utc-text.ts";

export function Report({ data }: { readonly data: ReportData }) {
  const { document: result, strategies } = data;
  const { fromMs, toMs, markets } = result.recording;
  const { riskSteps = [] } = result;
  return (
    <>
      <header class="top">
        <h1>Replay of {markets.map(({ symbol }) => symbol).join(", ")}</h1>
        <span class="muted">
          {dateText(fromMs)} to {dateText(toMs)} UTC, {lengthText(toMs - fromMs)}
        </span>
      </header>
      <section class="panel warnings">
        <h3>Not modelled</h3>
        <ul>
          {result.notModelled.map((sentence, at) => (
            <li key={at}>{sentence}</li>
          ))}
        </ul>
      </section>
      {result.warnings.length > 0 && (
        <section class="panel warnings">
          <h3>Warnings</h3>
          <ul>
            {result.warnings.map((warning, at) => (
              <li key={at}>{warning}</li>
            ))}
          </ul>
        </section>
      )}
      <RiskSteps steps={riskSteps} />
      {strategies.length > 1 && (
        <>
          <h2>All strategies</h2>
          {result.totals === null ? (
            <p class="muted">
              The markets have several quote tokens: set reportingCurrency to add them up.
            </p>
          ) : (
            <Tiles tiles={totalTiles(result)} />
          )}
        </>
      )}
      {strategies.map((strategy) => (
        <StrategySection
          key={strategy.name}
          strategy={strategy}
          result={resultOf(result, strategy.name)}
          riskSteps={riskSteps.filter((one) => [null, strategy.name].includes(one.strategy))}
        />
      ))}
      <h2>How it was made</h2>
      <div class="halves">
        <Facts title="Data, models and versions" rows={factsOf(result)} />
        {result.config.strategies.map(({ name, plugin, seed, params, defaults }) => (
          <Facts
            key={name}
            title={`Parameters of ${name}`}
            rows={[
              ["plugin", plugin],
              ["seed", String(seed)],
              ...paramsOf(params),
              ...paramsOf(defaults).map(([key, value]): Fact => [key, `${value} (default)`]),
            ]}
          />
        ))}
      </div>
    </>
  );
}

function resultOf(result: ReplayResult, name: string): ReplayResult | ReplayStrategyResult {
  return result.strategies?.find((one) => one.name === name) ?? result;
}

type Fact = readonly [name: string, value: string];

function Facts({ title, rows }: { readonly title: string; readonly rows: readonly Fact[] }) {
  return (
    <div class="panel">
      <h3>{title}</h3>
      <table class="facts">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function factsOf(result: ResultDocument): readonly Fact[] {
  const { recording, models, versions, config } = result;
  const { fills, latency } = models;
  const { marketName, tokenName } = namesOf(recording.markets);
  const rates = Object.entries(models.fees.markets).map(
    ([market, { maker, taker }]) =>
      `${marketName(market)}: maker ${percent(maker)}, taker ${percent(taker)}`,
  );
  const facts: Fact[] = [
    ["recording", recording.source],
    [
      "events",
      `${result.events.toLocaleString("en")}, ${result.levelChanges.toLocaleString("en")} level changes`,
    ],
    [
      "played as",
      recording.markets.map(({ market, recorded }) => `${recorded} as ${market}`).join(", "),
    ],
    ["fill model", fillsText(fills)],
    ["latency", `entry ${latency.entry}, response ${latency.response}, feed ${latency.feed}`],
    ["fees", rates.join("; ")],
    ["price grid", config.priceGrid],
    [
      "balances",
      config.balances === null ? "1000000000 of each token" : pairsText(config.balances, tokenName),
    ],
    ["rate limit", pairsText(config.rateLimit)],
    ["versions", `Touchline ${versions.touchline}, Node ${versions.node}`],
    ["decisions", result.decisionsHash],
  ];
  if (recording.notice !== null) facts.push(["notice", recording.notice]);
  return facts;
}

function paramsOf(params: unknown): readonly Fact[] {
  if (typeof params !== "object" || params === null) return [];
  return Object.entries(params).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : String(value),
  ]);
}

function pairsText(
  values: Readonly<Record<string, string | number>>,
  nameOf = (key: string): string => key,
): string {
  return Object.entries(values)
    .map(([key, value]) => `${nameOf(key)} ${value}`)
    .join(", ");
}

function percent(share: string): string {
  return `${Number((Number(share) * 100).toPrecision(12))} %`;
}

function fillsText(fills: ResultDocument["models"]["fills"]): string {
  if (fills.queue !== "candles") {
    return `${fills.queue}, ${fills.partialFills ? "partial fills" : "whole fills"}`;
  }
  const { volumeShare, halfSpread } = fills;
  return `candles, volume share ${percent(String(volumeShare))}, half spread ${percent(String(halfSpread))}`;
}
