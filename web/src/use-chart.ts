import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";

/** The style sheet's current colours, light or dark. */
export interface ChartColors {
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly panel: string;
  readonly bid: string;
  readonly ask: string;
  readonly accent: string;
  readonly inventory: string;
  readonly fees: string;
}

type ChartOptions = Omit<UPlot.Options, "width" | "height">;

/** Draws a uPlot chart in `host`, and redraws it when the size or the colour scheme changes. */
export function useChart(
  host: RefObject<HTMLDivElement | null>,
  options: (colors: ChartColors) => ChartOptions,
): RefObject<UPlot | null> {
  const chart = useRef<UPlot>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const draw = () => {
      const data = chart.current?.data;
      chart.current?.destroy();
      const made = options(colorsOf(element));
      chart.current = new UPlot(
        { cursor: { y: false }, ...made, ...sizeOf(element), legend: { show: false } },
        data ?? [[]],
        element,
      );
    };
    draw();
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", draw);
    const observer = new ResizeObserver(() => chart.current?.setSize(sizeOf(element)));
    observer.observe(element);
    return () => {
      scheme.removeEventListener("change", draw);
      observer.disconnect();
      chart.current?.destroy();
      chart.current = null;
    };
  }, []);
  return chart;
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: element.clientWidth, height: element.clientHeight };
}

function colorsOf(element: HTMLElement): ChartColors {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    text: read("--text"),
    muted: read("--muted"),
    line: read("--line"),
    panel: read("--panel"),
    bid: read("--bid"),
    ask: read("--ask"),
    accent: read("--accent"),
    inventory: read("--inventory"),
    fees: read("--fees"),
  };
}
