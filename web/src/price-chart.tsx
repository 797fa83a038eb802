import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import type { StrategyPanelSnapshot } from "../../src/dashboard/snapshot.ts";
import { timeText } from "./format.ts";
import { timesSec, valuesOf } from "./series.ts";
import { useChart } from "./use-chart.ts";
import { valueAxis } from "./value-axis.ts";

/** Labels show whole seconds, so a finer step would repeat them. */
const TIME_STEPS_SEC = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** Chart of the mid and the best own quotes, with fills as dots. */
export function PriceChart({ panel }: { readonly panel: StrategyPanelSnapshot }) {
  const host = useRef<HTMLDivElement>(null);
  const fills = useRef(panel.fills);
  fills.current = panel.fills;
  const chart = useChart(host, (colors) => ({
    series: [
      {},
      { label: "ask", stroke: colors.ask, width: 1.5, ...stepped, points: { show: false } },
      { label: "mid", stroke: colors.text, width: 1.25, points: { show: false } },
      { label: "bid", stroke: colors.bid, width: 1.5, ...stepped, points: { show: false } },
    ],
    axes: [
      {
        stroke: colors.muted,
        grid: { stroke: colors.line, width: 1 },
        ticks: { show: false },
        size: 30,
        incrs: TIME_STEPS_SEC,
        space: 75,
        values: (_plot, ticks) => ticks.map((timeSec) => timeText(timeSec * 1000)),
      },
      valueAxis(colors, 68),
    ],
    hooks: { draw: [(plot) => drawFills(plot, fills.current, colors)] },
  }));
  useEffect(() => {
    chart.current?.setData([
      timesSec(panel),
      valuesOf(panel, "ownAsk"),
      valuesOf(panel, "mid"),
      valuesOf(panel, "ownBid"),
    ]);
  }, [panel.history]);
  return <div class="chart tall" ref={host} />;
}

const paths = UPlot.paths.stepped?.({ align: 1 });
const stepped = paths === undefined ? {} : { paths };

function drawFills(
  plot: UPlot,
  fills: StrategyPanelSnapshot["fills"],
  colors: { readonly bid: string; readonly ask: string; readonly panel: string },
): void {
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  for (const fill of fills) {
    const x = plot.valToPos(fill.timeMs / 1000, "x", true);
    const y = plot.valToPos(Number(fill.price), "y", true);
    context.beginPath();
    context.arc(x, y, 4 * devicePixelRatio, 0, 2 * Math.PI);
    context.fillStyle = fill.side === "BUY" ? colors.bid : colors.ask;
    context.fill();
    context.lineWidth = 1.5 * devicePixelRatio;
    context.strokeStyle = colors.panel;
    context.stroke();
  }
  context.restore();
}
