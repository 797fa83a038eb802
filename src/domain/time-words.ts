/** The distance of a time from now, in its two largest units: `in 6 d 23 h`, `5 min ago`. */
export function distanceText(atSec: number, nowMs: number): string {
  const seconds = Math.round(atSec - nowMs / 1000);
  const length = Math.abs(seconds);
  const parts = [
    [Math.floor(length / 86_400), "d"],
    [Math.floor(length / 3600) % 24, "h"],
    [Math.floor(length / 60) % 60, "min"],
    [length % 60, "s"],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const words = parts
    .slice(Math.max(0, first), first + 2)
    .filter(([count], at) => count > 0 || at === 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(" ");
  if (first < 0) return "now";
  return seconds > 0 ? `in ${words}` : `${words} ago`;
}
