import type UPlot from "uplot";
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
