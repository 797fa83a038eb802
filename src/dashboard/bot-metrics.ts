import { Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import { riskSteps } from "../domain/risk-step.ts";
import type { ApiData } from "./api-resources.ts";
import { type LatencyBuckets, latencyBounds } from "./latency-fold.ts";
import { readiness } from "./readiness.ts";
import type { StrategyPanelSnapshot } from "./snapshot.ts";

export const metricsType = Registry.PROMETHEUS_CONTENT_TYPE;

type PanelMetric = readonly [
  help: string,
  /** By the value of its label, where it has one; null where there is none now. */
  values: (panel: StrategyPanelSnapshot) => number | null | Readonly<Record<string, number | null>>,
  label?: "side" | "rule" | "kind",
];

const numberOf = (text: string | null): number | null => (text === null ? null : Number(text));

/** One value for each strategy in each of its markets. A name that ends in `_total` is a counter. */
const panelMetrics: Readonly<Record<string, PanelMetric>> = {
  touchline_position_base: ["Position, base token", ({ position }) => Number(position.base)],
  touchline_pnl_quote: [
    "PnL over all runs, quote token",
    ({ position }) => numberOf(position.totalPnl),
  ],
  touchline_day_pnl_quote: [
    "PnL since the UTC day began, quote token",
    ({ position }) => numberOf(position.dayPnl),
  ],
  touchline_run_pnl_quote: ["PnL of this run, quote token", ({ run }) => numberOf(run.pnl)],
  touchline_mid: ["Mid of the book without own orders", ({ book }) => book.mid],
  touchline_book_live: [
    "1 while the local book is in sync",
    ({ book }) => (book.state === "live" ? 1 : 0),
  ],
  touchline_uptime_ratio: [
    "Share of the run in which a side was quoted, or the obligation kept",
    ({ uptime }) => ({ ...uptime }),
    "kind",
  ],
  touchline_open_orders: ["Own open orders", ({ orders }) => orders.length],
  touchline_quoted: [
    "1 while a side is quoted in full",
    ({ reason }) => ({
      BUY: reason.BUY === null ? 1 : 0,
      SELL: reason.SELL === null ? 1 : 0,
    }),
    "side",
  ],
  touchline_risk_step: [
    "Step of the risk ladder: 0 normal, 1 warn, 2 widen, 3 reduceOnly, 4 pause, 5 halt",
    ({ risk }) => 1 + riskSteps.findIndex((step) => step === risk.step),
  ],
  touchline_standstill: [
    "1 while it is paused or halted, by an operator or by risk",
    ({ standstill }) => ({
      paused: standstill === "paused" ? 1 : 0,
      halted: standstill === "halted" ? 1 : 0,
    }),
    "kind",
  ],
  touchline_fills_total: ["Fills of this run", ({ counts }) => counts.fills],
  touchline_volume_quote_total: [
    "Traded in this run, quote token",
    ({ run }) => Number(run.volume),
  ],
  touchline_orders_placed_total: ["Quotes placed", ({ counts }) => counts.placed],
  touchline_orders_canceled_total: ["Quotes canceled", ({ counts }) => counts.canceled],
  touchline_orders_rejected_total: [
    "Orders that the venue rejected",
    ({ counts }) => counts.rejected,
  ],
  touchline_orders_denied_total: [
    "Orders that a risk rule denied",
    ({ denied }) => Object.fromEntries(denied.map(({ rule, count }) => [rule, count])),
    "rule",
  ],
};

const latencyHelp = {
  tickToOrder: [
    "touchline_tick_to_order_seconds",
    "From a message of the venue to the order that it caused",
  ],
  eventLag: [
    "touchline_event_lag_seconds",
    "From a trade or depth event at the venue to the step that handled it",
  ],
  orderRoundTrip: [
    "touchline_order_round_trip_seconds",
    "From the step that made a placement to its response",
  ],
} as const;

/** The metrics of a bot as Prometheus reads them, made of its newest update. Undefined: it is starting. */
export async function metricsText(data: ApiData | undefined, version: string): Promise<string> {
  const registry = new Registry();
  const gauge = (name: string, help: string, value: number, labels = {}): void =>
    new Gauge({ name, help, labelNames: Object.keys(labels), registers: [registry] }).set(
      labels,
      value,
    );
  const reasons = readiness(data?.snapshot, data?.ageMs ?? 0);
  gauge("touchline_info", "1; the bot's version is a label", 1, { version });
  gauge("touchline_ready", "1 while every strategy may quote", reasons.length === 0 ? 1 : 0);
  if (data === undefined) return registry.metrics();
  const { snapshot, ageMs } = data;
  gauge("touchline_update_age_seconds", "Age of the newest update from the bot", ageMs / 1000);
  gauge(
    "touchline_guard_connected",
    "1 while a guard process is connected",
    snapshot.guard === "connected" ? 1 : 0,
  );
  gauge(
    "touchline_guard_lost",
    "1 when a guard was connected and is not any more",
    snapshot.guard === "lost" ? 1 : 0,
  );
  gauge(
    "touchline_requests_per_second",
    "Requests to the venue, mean of ten seconds",
    snapshot.requests.perSecond,
  );
  gauge("touchline_requests_limit", "Rate budget, requests per second", snapshot.requests.limit);
  const sources = new Gauge({
    name: "touchline_source_ok",
    help: "1 while a price source is of use",
    labelNames: ["source"],
    registers: [registry],
  });
  for (const { name: source, problem } of snapshot.sources)
    sources.set({ source }, problem === null ? 1 : 0);
  for (const [name, metric] of Object.entries(panelMetrics))
    addPanels(registry, name, metric, snapshot.panels);
  for (const key of ["tickToOrder", "eventLag", "orderRoundTrip"] as const) {
    const [name, help] = latencyHelp[key];
    registry.registerMetric(new CountedHistogram({ name, help, ...snapshot.latencies[key] }));
  }
  return registry.metrics();
}

function addPanels(
  registry: Registry,
  name: string,
  [help, values, label]: PanelMetric,
  panels: readonly StrategyPanelSnapshot[],
): void {
  const labelNames = ["strategy", "market", ...(label === undefined ? [] : [label])];
  const options = { name, help, labelNames, registers: [registry] };
  const counter = name.endsWith("_total") ? new Counter(options) : undefined;
  const gauge = counter === undefined ? new Gauge(options) : undefined;
  for (const panel of panels) {
    const place = { strategy: panel.strategy, market: panel.marketId };
    const found = values(panel);
    const rows =
      typeof found === "object" && found !== null ? Object.entries(found) : [["", found] as const];
    for (const [of, value] of rows) {
      if (value === null) continue;
      const labels = label === undefined ? place : { ...place, [label]: of };
      counter?.inc(labels, value);
      gauge?.set(labels, value);
    }
  }
}

interface CountedLatency extends LatencyBuckets {
  readonly name: string;
  readonly help: string;
}

/** Samples that are counted already: the library's own histogram counts them one by one. */
class CountedHistogram extends Histogram {
  readonly #counted: CountedLatency;

  constructor(counted: CountedLatency) {
    super({ name: counted.name, help: counted.help, registers: [] });
    this.#counted = counted;
  }

  /** What the registry writes. */
  async getForPromString() {
    const { name, help, counts, sum } = this.#counted;
    let count = 0;
    const buckets = counts.map((more, at) => {
      count += more;
      const le = String(latencyBounds[at] ?? "+Inf");
      return { metricName: `${name}_bucket`, labels: { le }, value: count };
    });
    const totals = [
      { metricName: `${name}_sum`, labels: {}, value: sum },
      { metricName: `${name}_count`, labels: {}, value: count },
    ];
    return { name, help, type: "histogram", values: [...buckets, ...totals] };
  }
}
