/** Times of a recording are shown in UTC, wherever the reader is. */
const isoText = (timeMs: number): string => new Date(timeMs).toISOString();

/** `2024-08-08 23:54:14`. */
export function dateText(timeMs: number): string {
  return isoText(timeMs).slice(0, 19).replace("T", " ");
}

/** `23:54:14`. */
export function clockText(timeMs: number): string {
  return isoText(timeMs).slice(11, 19);
}

/** A label of a time axis whose labels are `stepSec` apart. */
export function tickText(timeMs: number, stepSec: number): string {
  if (stepSec >= 86_400) return isoText(timeMs).slice(5, 10);
  return stepSec >= 60 ? isoText(timeMs).slice(11, 16) : clockText(timeMs);
}

/** `1h 05m`, `10m 50s` or `9.5s`. */
export function lengthText(lengthMs: number): string {
  const seconds = Math.floor(lengthMs / 1000);
  const [hours, minutes, rest] = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  if (hours > 0) return `${hours}h ${String(minutes).padStart(2, "0")}m`;
  if (minutes > 0) return `${minutes}m ${String(rest).padStart(2, "0")}s`;
  return `${(lengthMs / 1000).toFixed(1)}s`;
}
