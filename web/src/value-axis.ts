import UPlot from "uplot";
import { axisText } from "./axis-text.ts";
import type { ChartColors } from "./use-chart.ts";

/** The vertical axis of a chart, `size` pixels wide. */
export function valueAxis(colors: Pick<ChartColors, "muted" | "line">, size: number): UPlot.Axis {
  return {
    stroke: colors.muted,
    grid: { stroke: colors.line, width: 1 },
    ticks: { show: false },
    size,
    values: (_plot, ticks, _axis, _space, step) => ticks.map((value) => axisText(value, step)),
  };
}

/** Range of the values of a chart that is mostly at 0: a constant 0 is drawn between −1 and 1, while uPlot's own range ends at 100. */
export function valueRange(
  _plot: UPlot,
  min: number | null,
  max: number | null,
): UPlot.Range.MinMax {
  return min === max && (min ?? 0) === 0 ? [-1, 1] : UPlot.rangeNum(min ?? 0, max ?? 0, 0.1, true);
}
