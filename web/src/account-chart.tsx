import { useEffect, useRef } from "preact/hooks";
import type { StrategyPanelSnapshot, HistoryPoint } from "../../src/dashboard/snapshot.ts";
import { amountText } from "./format.ts";
import { useChart } from "./use-chart.ts";

/** One line over time: PnL or inventory. */
export function AccountChart(props: {
  readonly panel: StrategyPanelSnapshot;
  readonly pick: (point: HistoryPoint) => number | null;
  readonly color: "accent" | "text";
}) {
  const { panel, pick, color } = props;
  const host = useRef<HTMLDivElement>(null);
  const chart = useChart(host, (colors) => ({
    series: [
      {},
      {
        stroke: colors[color],
        fill: `${colors[color]}22`,
        width: 1.5,
        points: { show: false },
      },
    ],
    axes: [
      { show: false },
      {
        stroke: colors.muted,
        grid: { stroke: colors.line, width: 1 },
        ticks: { show: false },
        size: 56,
        values: (_plot, ticks) => ticks.map(amountText),
      },
    ],
  }));
  useEffect(() => {
    chart.current?.setData([
      panel.history.map(([timeMs]) => timeMs / 1000),
      panel.history.map(pick),
    ]);
  }, [panel.history]);
  return <div class="chart" ref={host} />;
}
