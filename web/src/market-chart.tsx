import { useMemo, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import type { ReportFill } from "../../src/backtest/report-data.ts";
import type { SeriesName } from "../../src/dashboard/history.ts";
import type { FillRow } from "../../src/dashboard/api-rows.ts";
import { drawFills } from "./draw-fills.ts";
import { amountText, priceText, timeText } from "./format.ts";
import { knownSinceMs } from "./newest-fills.ts";
import { type ChartColors, useChart } from "./use-chart.ts";
import { type ChartData, hooksOf, type Shared, timed, useFollow } from "./time-axis.ts";
import { valueRange } from "./value-axis.ts";

const spans = [
  ["5 min", 300],
  ["15 min", 900],
  ["1 h", 3600],
] as const;

/** Charts of the price with own quotes and fills, of the PnL and of the position, over the same time. Dragging zooms, a double click ends that. */
export function MarketCharts({
  data,
  base,
  quote,
  most,
}: {
  readonly data: ChartData;
  readonly base: string;
  readonly quote: string;
  /** Limit of the position, base token. */
  readonly most: number | undefined;
}) {
  const [spanSec, setSpanSec] = useState<number>(3600);
  const [at, setAt] = useState<number | null>(null);
  const zoomed = useRef(false);
  const shared: Shared = { data, spanSec, zoomed, setAt };
  const point = at === null ? data.points.at(-1) : data.points[at];
  const valueOf = (name: SeriesName): number | null =>
    point?.[data.series.indexOf(name) + 1] ?? null;
  const text = (name: SeriesName, format: (value: number) => string): string => {
    const value = valueOf(name);
    return value === null ? "–" : format(value);
  };
  return (
    <>
      <div class="chart-head">
        <p class="readout" aria-hidden="true">
          <time>{point === undefined ? "" : timeText(point[0])}</time>
          <span class="key ask">own ask {text("ownAsk", priceText)}</span>
          <span class="key mid">mid {text("mid", priceText)}</span>
          <span class="key bid">own bid {text("ownBid", priceText)}</span>
          <span>
            PnL {text("pnl", amountText)} {quote}
          </span>
          <span>
            position {text("position", amountText)} {base}
          </span>
        </p>
        <div class="buttons" role="group" aria-label="Time shown">
          {spans.map(([title, sec]) => (
            <button
              key={sec}
              type="button"
              class="small"
              aria-pressed={spanSec === sec}
              onClick={() => {
                zoomed.current = false;
                setSpanSec(sec);
              }}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      <PriceChart shared={shared} />
      <h3>PnL in all, {quote}</h3>
      <LineChart shared={shared} name="pnl" color="accent" label={`PnL in all, ${quote}`} />
      <h3>
        Position, {base}
        {most === undefined ? "" : `, limit ±${amountText(most)} (dashed)`}
      </h3>
      <LineChart
        shared={shared}
        name="position"
        color="text"
        label={`Position, ${base}`}
        most={most}
      />
    </>
  );
}

const paths = UPlot.paths.stepped?.({ align: 1 });
const stepped = paths === undefined ? {} : { paths };

function PriceChart({ shared }: { readonly shared: Shared }) {
  const host = useRef<HTMLDivElement>(null);
  const { fills, older, points } = shared.data;
  const fromMs = Math.max(points[0]?.[0] ?? 0, (points.at(-1)?.[0] ?? 0) - shared.spanSec * 1000);
  const sinceMs = knownSinceMs(fills, fromMs, older !== undefined);
  const marks = useRef<readonly ReportFill[]>([]);
  marks.current = useMemo(() => fills.map(markOf), [fills]);
  const chart = useChart(host, (colors) => ({
    series: [
      {},
      { label: "ask", stroke: colors.ask, width: 1.5, ...stepped, points: { show: false } },
      { label: "mid", stroke: colors.text, width: 1.25, points: { show: false } },
      { label: "bid", stroke: colors.bid, width: 1.5, ...stepped, points: { show: false } },
    ],
    ...timed(colors, shared, 68),
    hooks: { ...hooksOf(shared), draw: [(plot) => drawFills(plot, marks.current ?? [], colors)] },
  }));
  useFollow(chart, shared, ["ownAsk", "mid", "ownBid"]);
  const label = `Price with own quotes and ${fills.length} fills; the numbers stand above and in the table of fills`;
  return (
    <>
      <div class="chart tall" ref={host} role="img" aria-label={label} />
      {sinceMs !== undefined && (
        <p class="muted">
          Fills are marked from {timeText(sinceMs)} on, the newest {fills.length}.
        </p>
      )}
    </>
  );
}

function LineChart(props: {
  readonly shared: Shared;
  readonly name: SeriesName;
  readonly color: "accent" | "text";
  readonly label: string;
  readonly most?: number | undefined;
}) {
  const { shared, name, color, label, most } = props;
  const host = useRef<HTMLDivElement>(null);
  const limit = useRef(most);
  limit.current = most;
  const chart = useChart(host, (colors) => ({
    series: [
      {},
      { stroke: colors[color], fill: `${colors[color]}22`, width: 1.5, points: { show: false } },
    ],
    ...timed(colors, shared, 68),
    scales: { y: { range: valueRange } },
    hooks: { ...hooksOf(shared), draw: [(plot) => drawLimit(plot, limit.current, colors)] },
  }));
  useFollow(chart, shared, [name]);
  return <div class="chart" ref={host} role="img" aria-label={label} />;
}

function markOf({ timeMs, side, price, quantity }: FillRow): ReportFill {
  const isBuy = side === "BUY";
  return { timeMs, isBuy, price: Number(price), quantity: Number(quantity), count: 1 };
}

function drawLimit(plot: UPlot, most: number | undefined, colors: ChartColors): void {
  if (most === undefined) return;
  const { ctx: context } = plot;
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.strokeStyle = colors.muted;
  context.lineWidth = devicePixelRatio;
  context.setLineDash([6, 4]);
  for (const value of [most, -most]) {
    const y = plot.valToPos(value, "y", true);
    if (y < top || y > top + height) continue;
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(left + width, y);
    context.stroke();
  }
  context.restore();
}
