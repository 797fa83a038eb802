import type { OpenedChannel } from "../config/alerts-config.ts";

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

/** How long quiet hours last from `nowMs` on; 0 outside them. Where clocks are changed meanwhile, the next look says the rest. */
export function quietForMs(quiet: OpenedChannel["quietHours"], nowMs: number): number {
  if (quiet === undefined) return 0;
  const { from, to, zone } = quiet;
  const minute = minuteOfDay(nowMs, zone);
  const since = (minute - from + DAY_MINUTES) % DAY_MINUTES;
  const length = (to - from + DAY_MINUTES) % DAY_MINUTES;
  if (since >= length) return 0;
  return (length - since) * MINUTE_MS - (nowMs % MINUTE_MS);
}

function minuteOfDay(nowMs: number, zone: string): number {
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const [hour = 0, minute = 0] = clock.format(nowMs).split(":").map(Number);
  return hour * 60 + minute;
}
