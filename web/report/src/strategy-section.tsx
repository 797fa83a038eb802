import type { ReportStrategy } from "../../../src/backtest/report-data.ts";
import type { LatencyQuantiles } from "../../../src/backtest/report-figures.ts";
import type { ReplayResult, ReplayStrategyResult } from "../../../src/backtest/replay-result.ts";
import type { SummaryRiskStep } from "../../../src/metrics/summary.ts";
import { amountText } from "../../src/format.ts";
import { Distribution } from "./distribution.tsx";
import { MarkoutChart } from "./markout-chart.tsx";
import { priceFormat } from "./price-format.ts";
import { figureTiles, Tiles } from "./tiles.tsx";
import { TimeChart } from "./time-chart.tsx";

/** Figures and charts of one strategy. */
export function StrategySection(props: {
  readonly strategy: ReportStrategy;
  readonly result: ReplayResult | ReplayStrategyResult;
  /** Of this strategy and of the whole bot. */
  readonly riskSteps: readonly SummaryRiskStep[];
}) {
  const { strategy, result, riskSteps } = props;
  const { timesMs, base, quote } = strategy;
  const charts = { timesMs, textOf: amountText };
  return (
    <section>
      <h2>
        {strategy.name} <small>{`${base}/${quote}`}</small>
      </h2>
      <Tiles tiles={figureTiles(result, base, quote)} />
      <div class="panel">
        <h3>{`Price and own quotes, ${quote}`}</h3>
        <TimeChart
          timesMs={timesMs}
          textOf={priceFormat(strategy.mid)}
          fills={strategy.fills}
          riskSteps={riskSteps}
          isTall
          lines={[
            { label: "own ask", color: "ask", values: strategy.ownAsk, isStepped: true },
            { label: "mid", color: "text", values: strategy.mid, isStepped: true },
            { label: "own bid", color: "bid", values: strategy.ownBid, isStepped: true },
          ]}
        />
        <p class="hint">
          Triangles are fills: ▲ bought, ▼ sold.{" "}
          {riskSteps.length > 0 && "Dashed lines are steps of the risk ladder. "}
          <span>Drag to zoom all charts, double-click to see all.</span>
        </p>
      </div>
      <div class="panel">
        <h3>{`Position, ${base}`}</h3>
        <TimeChart
          {...charts}
          riskSteps={riskSteps}
          lines={[
            {
              label: "position",
              color: "accent",
              values: strategy.position,
              isStepped: true,
              isFilled: true,
            },
          ]}
        />
      </div>
      <div class="panel">
        <h3>{`PnL by source, ${quote}`}</h3>
        <TimeChart
          {...charts}
          lines={[
            { label: "spread", color: "accent", values: strategy.spread },
            { label: "inventory", color: "inventory", values: strategy.inventory },
            { label: "fees", color: "fees", values: strategy.fees },
            { label: "total", color: "text", values: strategy.pnl },
          ]}
        />
      </div>
      <div class="panel">
        <h3>{`Underwater: PnL below its peak, ${quote}`}</h3>
        <TimeChart
          {...charts}
          lines={[{ label: "drawdown", color: "ask", values: strategy.underwater, isFilled: true }]}
        />
      </div>
      <div class="halves">
        <div class="panel">
          <h3>Markouts</h3>
          <MarkoutChart result={result} />
        </div>
        <div class="panel">
          <h3>Spread</h3>
          <Distribution
            bins={strategy.spreads}
            unit="basis points of the mid, share of time"
            names={["market", "own quotes"]}
          />
        </div>
        <div class="panel">
          <h3>Queue in front of orders on arrival</h3>
          <Distribution
            bins={strategy.queues}
            unit="in sizes of the order"
            names={["all orders", "filled orders"]}
          />
        </div>
        <div class="panel">
          <h3>Latency, ms</h3>
          <Latency latency={strategy.latency} />
        </div>
      </div>
    </section>
  );
}

function Latency({ latency }: Pick<ReportStrategy, "latency">) {
  const row = (name: string, { p50, p99, max }: LatencyQuantiles) => (
    <tr key={name}>
      <td>{name}</td>
      {[p50, p99, max].map((value, at) => (
        <td key={at}>{value === null ? "–" : value.toLocaleString("en")}</td>
      ))}
    </tr>
  );
  return (
    <table class="figures">
      <thead>
        <tr>
          <th />
          <th>p50</th>
          <th>p99</th>
          <th>max</th>
        </tr>
      </thead>
      <tbody>
        {row("decision to exchange", latency.entry)}
        {row("exchange to bot", latency.acknowledgement)}
        {row("exchange to first fill", latency.firstFill)}
      </tbody>
    </table>
  );
}
