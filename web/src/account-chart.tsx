import { useEffect, useRef } from "preact/hooks";
import type { SeriesName } from "../../src/dashboard/history.ts";
import type { StrategyPanelSnapshot } from "../../src/dashboard/snapshot.ts";
import { timesSec, valuesOf } from "./series.ts";
import { useChart } from "./use-chart.ts";
import { valueAxis, valueRange } from "./value-axis.ts";

/** Chart of one series over time: PnL or position. */
export function AccountChart(props: {
  readonly panel: StrategyPanelSnapshot;
  readonly series: SeriesName;
  readonly color: "accent" | "text";
}) {
  const { panel, series, color } = props;
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
    scales: { y: { range: valueRange } },
    axes: [{ show: false }, valueAxis(colors, 56)],
  }));
  useEffect(() => {
    chart.current?.setData([timesSec(panel), valuesOf(panel, series)]);
  }, [panel.history]);
  return <div class="chart" ref={host} />;
}
