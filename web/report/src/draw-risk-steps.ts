import type UPlot from "uplot";
import type { SummaryRiskStep } from "../../../src/metrics/summary.ts";

/** Draws a dashed line at the time of each step of the risk ladder, with the step's name beside it. */
export function drawRiskSteps(
  plot: UPlot,
  steps: readonly SummaryRiskStep[],
  colors: { readonly muted: string; readonly fees: string },
): void {
  if (steps.length === 0) return;
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.lineWidth = devicePixelRatio;
  context.setLineDash([4 * devicePixelRatio, 3 * devicePixelRatio]);
  context.strokeStyle = colors.fees;
  context.fillStyle = colors.muted;
  context.font = `${10 * devicePixelRatio}px sans-serif`;
  context.textAlign = "left";
  context.textBaseline = "top";
  /** Where the newest name ends; names that would cover another are left out. */
  let freeFrom = left;
  for (const { atMs, step } of steps) {
    const x = plot.valToPos(atMs / 1000, "x", true);
    context.beginPath();
    context.moveTo(x, top);
    context.lineTo(x, top + height);
    context.stroke();
    const nameWidth = context.measureText(step).width;
    const gap = 3 * devicePixelRatio;
    const from = x + gap + nameWidth > left + width ? x - gap - nameWidth : x + gap;
    if (from < freeFrom) continue;
    context.fillText(step, from, top + gap);
    freeFrom = from + nameWidth + gap;
  }
  context.restore();
}
