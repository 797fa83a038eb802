import { useEffect, useRef, useState } from "preact/hooks";
import UPlot from "uplot";
import type { ReportFill, ReportSeries } from "../../../src/backtest/report-data.ts";
import type { SummaryRiskStep } from "../../../src/metrics/summary.ts";
import { type ChartColors, useChart } from "../../src/use-chart.ts";
import { drawFills } from "../../src/draw-fills.ts";
import { drawRiskSteps } from "./draw-risk-steps.ts";
import { Legend } from "./legend.tsx";
import { clockText, tickText } from "./utc-text.ts";
import { valueAxis } from "../../src/value-axis.ts";

export interface ChartLine {
  readonly label: string;
  readonly color: keyof ChartColors;
  readonly values: ReportSeries;
  /** Holds each value until the next. */
  readonly isStepped?: boolean;
  readonly isFilled?: boolean;
}

/** Charts with this key move their cursors and zoom together. */
const SYNC = "time";
const TIME_STEPS_SEC = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 172800,
  604800,
];
const stepped = UPlot.paths.stepped?.({ align: 1 });

/** Lines over time with a legend that follows the cursor; drag to zoom, double-click for the whole. */
export function TimeChart(props: {
  readonly timesMs: readonly number[];
  readonly lines: readonly ChartLine[];
  readonly textOf: (value: number) => string;
  readonly fills?: readonly ReportFill[];
  readonly riskSteps?: readonly SummaryRiskStep[];
  readonly isTall?: boolean;
}) {
  const { timesMs, lines, textOf, fills = [], riskSteps = [], isTall = false } = props;
  const host = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | null>(null);
  const chart = useChart(host, (colors) => ({
    tzDate: (timeSec) => UPlot.tzDate(new Date(timeSec * 1000), "Etc/UTC"),
    cursor: { y: false, sync: { key: SYNC }, drag: { x: true, y: false } },
    series: [{}, ...lines.map((line) => seriesOf(line, colors))],
    axes: [
      {
        stroke: colors.muted,
        grid: { stroke: colors.line, width: 1 },
        ticks: { show: false },
        size: 28,
        space: 72,
        incrs: TIME_STEPS_SEC,
        values: (_plot, ticks, _axis, _space, stepSec) =>
          ticks.map((timeSec) => tickText(timeSec * 1000, stepSec)),
      },
      valueAxis(colors, 62),
    ],
    hooks: {
      draw: [
        (plot) => drawRiskSteps(plot, riskSteps, colors),
        (plot) => drawFills(plot, fills, colors),
      ],
      setCursor: [(plot) => setAt(plot.cursor.idx ?? null)],
    },
  }));
  useEffect(() => {
    chart.current?.setData([
      timesMs.map((timeMs) => timeMs / 1000),
      ...lines.map(({ values }) => [...values]),
    ]);
  }, []);
  const timeMs = timesMs[at ?? timesMs.length - 1];
  return (
    <>
      <Legend
        title={timeMs === undefined ? "" : clockText(timeMs)}
        entries={lines.map(({ label, color, values }) => {
          const value = at === null ? values.findLast((one) => one !== null) : values[at];
          return { label, color, text: typeof value === "number" ? textOf(value) : "–" };
        })}
      />
      <div class={isTall ? "chart tall" : "chart"} ref={host} />
    </>
  );
}

function seriesOf({ label, color, isStepped, isFilled }: ChartLine, colors: ChartColors) {
  return {
    label,
    stroke: colors[color],
    width: 1.25,
    points: { show: false },
    ...(isFilled === true ? { fill: `${colors[color]}22` } : {}),
    ...(isStepped === true && stepped !== undefined ? { paths: stepped } : {}),
  };
}
