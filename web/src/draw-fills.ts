import type UPlot from "uplot";
import type { ReportFill } from "../../src/backtest/report-data.ts";

/** Half the width of a marker of one fill, and of many, in CSS pixels. */
const SIZE = 3;
const MOST = 5;
/** Fills of a side within this width share a marker, in CSS pixels. */
const COLUMN = 7;

interface Marker {
  x: number;
  value: number;
  quantity: number;
  count: number;
}

/**
 * Draws purchases as triangles that point up and sales as triangles that point down, with their tips at the mean price. Fills that
 * are close to each other share one, which is larger; zooming in parts them.
 */
export function drawFills(
  plot: UPlot,
  fills: readonly ReportFill[],
  colors: { readonly bid: string; readonly ask: string; readonly panel: string },
): void {
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.lineWidth = 0.75 * devicePixelRatio;
  context.strokeStyle = colors.panel;
  for (const isBuy of [true, false]) {
    context.fillStyle = isBuy ? colors.bid : colors.ask;
    const own = fills.filter((fill) => fill.isBuy === isBuy);
    for (const { x, value, quantity, count } of markersOf(plot, own)) {
      const size = Math.min(MOST, SIZE + Math.log10(count) * 1.5) * devicePixelRatio;
      const y = plot.valToPos(value / quantity, "y", true);
      const base = y + (isBuy ? 2 : -2) * size;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - size, base);
      context.lineTo(x + size, base);
      context.closePath();
      context.fill();
      context.stroke();
    }
  }
  context.restore();
}

function markersOf(plot: UPlot, fills: readonly ReportFill[]): Iterable<Marker> {
  const { left, width } = plot.bbox;
  const column = COLUMN * devicePixelRatio;
  const markers = new Map<number, Marker>();
  for (const { timeMs, price, quantity, count } of fills) {
    const x = plot.valToPos(timeMs / 1000, "x", true);
    if (x < left - column || x > left + width + column) continue;
    const at = Math.floor(x / column);
    const marker = markers.get(at) ?? { x: (at + 0.5) * column, value: 0, quantity: 0, count: 0 };
    marker.value += price * quantity;
    marker.quantity += quantity;
    marker.count += count;
    if (marker.count === count) marker.x = x;
    markers.set(at, marker);
  }
  return markers.values();
}
