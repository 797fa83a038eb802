import { useEffect, useRef } from "preact/hooks";
import type { MarkoutsByHorizon, ReplayResult } from "../../../src/backtest/replay-result.ts";
import type { MarkoutBasis } from "../../../src/metrics/markouts.ts";
import { useChart } from "../../src/use-chart.ts";
import { Legend } from "./legend.tsx";
import { valueAxis } from "../../src/value-axis.ts";

type Markouts = Pick<ReplayResult, "markouts" | "markoutsBySide">;

/** Mean markout by horizon, mid to mid of both sides and of each, and fill to mid; equal distances between the horizons. */
export function MarkoutChart({ result }: { readonly result: Markouts }) {
  const host = useRef<HTMLDivElement>(null);
  const horizons = Object.keys(result.markouts ?? {});
  const valuesOf = (of: MarkoutsByHorizon | undefined, basis: MarkoutBasis = "midToMid") =>
    horizons.map((horizon) => of?.[horizon]?.[basis] ?? null);
  const chart = useChart(host, (colors) => ({
    scales: { x: { time: false, range: () => [-0.25, horizons.length - 0.75] } },
    series: [
      {},
      ...(["text", "bid", "ask", "muted"] as const).map((color) => ({
        stroke: colors[color],
        width: color === "text" ? 2 : 1.25,
        points: { show: true, size: 6, fill: colors[color] },
      })),
    ],
    axes: [
      {
        stroke: colors.muted,
        grid: { show: false },
        ticks: { show: false },
        size: 28,
        splits: () => horizons.map((_, at) => at),
        values: () => horizons,
      },
      valueAxis(colors, 48),
    ],
    hooks: {
      drawClear: [
        (plot) => {
          const y = plot.valToPos(0, "y", true);
          const { left, top, width, height } = plot.bbox;
          if (y < top || y > top + height) return;
          plot.ctx.fillStyle = colors.muted;
          plot.ctx.fillRect(left, y, width, devicePixelRatio);
        },
      ],
    },
  }));
  useEffect(() => {
    chart.current?.setData([
      horizons.map((_, at) => at),
      valuesOf(result.markouts ?? undefined),
      valuesOf(result.markoutsBySide?.buy),
      valuesOf(result.markoutsBySide?.sell),
      valuesOf(result.markouts ?? undefined, "fillToMid"),
    ]);
  }, []);
  return (
    <>
      <Legend
        title="basis points from the mid before the fill, or from its price; below 0 the market moved against the fills"
        entries={[
          { label: "all", color: "text" },
          { label: "buys", color: "bid" },
          { label: "sells", color: "ask" },
          { label: "all, fill to mid", color: "muted" },
        ]}
      />
      <div class="chart markouts" ref={host} />
    </>
  );
}
