import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";
import type UPlot from "uplot";
import type { FillRow } from "../../src/dashboard/api-rows.ts";
import type { HistoryPoint, SeriesName } from "../../src/dashboard/history.ts";
import { timeText } from "./format.ts";
import type { ChartColors } from "./use-chart.ts";
import { valueAxis } from "./value-axis.ts";

/** Labels show whole seconds, so a finer step would repeat them. */
const TIME_STEPS_SEC = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

export interface ChartData {
  readonly series: readonly SeriesName[];
  readonly points: readonly HistoryPoint[];
  /** Newest first. */
  readonly fills: readonly FillRow[];
  /** Reads more fills; undefined when the bot has no more. */
  readonly older: (() => void) | undefined;
}

/** What the charts of a market have in common. */
export interface Shared {
  readonly data: ChartData;
  readonly spanSec: number;
  readonly zoomed: RefObject<boolean>;
  readonly setAt: (index: number | null) => void;
}

/** The time axis, and a cursor that the charts of a market share. */
export function timed(colors: ChartColors, { zoomed }: Shared, size: number) {
  return {
    cursor: {
      y: false,
      sync: { key: "market" },
      bind: {
        dblclick: () => () => {
          zoomed.current = false;
          return null;
        },
      },
    },
    axes: [
      {
        stroke: colors.muted,
        grid: { stroke: colors.line, width: 1 },
        ticks: { show: false },
        size: 26,
        incrs: TIME_STEPS_SEC,
        space: 75,
        values: (_plot: UPlot, ticks: number[]) => ticks.map((sec) => timeText(sec * 1000)),
      },
      valueAxis(colors, size),
    ],
  };
}

export function hooksOf({ zoomed, setAt }: Shared): UPlot.Hooks.Arrays {
  return {
    setSelect: [(plot) => (zoomed.current = plot.select.width > 0)],
    setCursor: [(plot) => setAt(plot.cursor.idx ?? null)],
  };
}

/** Draws the newest points; while somebody has zoomed in, the time that is shown stays. */
export function useFollow(
  chart: RefObject<UPlot | null>,
  { data, spanSec, zoomed }: Shared,
  names: readonly SeriesName[],
): void {
  const { points, series } = data;
  // A new fill is drawn with the next point, a second later at most.
  useEffect(() => {
    const times = points.map(([timeMs]) => timeMs / 1000);
    const values = names.map((name) => {
      const at = series.indexOf(name) + 1;
      return points.map((point) => point[at] ?? null);
    });
    const plot = chart.current;
    if (plot === null) return;
    const isZoomed = zoomed.current ?? false;
    plot.setData([times, ...values], !isZoomed);
    const last = times.at(-1);
    const first = times[0];
    if (last === undefined || first === undefined) return;
    if (isZoomed) plot.redraw();
    else
      plot.setScale("x", { min: Math.max(first, last - spanSec), max: Math.max(last, first + 1) });
  }, [points, spanSec]);
}
