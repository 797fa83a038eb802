/** The last time that a date can have. */
const LAST_MS = 8.64e15;

/** Formats a time for people: UTC, to the millisecond. */
export function timeText(timeMs: number): string {
  return new Date(Math.min(timeMs, LAST_MS)).toISOString().replace("T", " ").replace("Z", "");
}

/** Formats a duration for people: `1m 05s`. */
export function spanText(durationMs: number): string {
  const seconds = Math.floor(durationMs / 1000);
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  if (hours > 0) return `${hours}h ${String(minutes).padStart(2, "0")}m`;
  if (minutes > 0) return `${minutes}m ${String(rest).padStart(2, "0")}s`;
  return `${(durationMs / 1000).toFixed(1)}s`;
}
