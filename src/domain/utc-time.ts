const form =
  /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|UTC|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?))?)?$/i;

/**
 * A date with or without a time of day, such as `2025-01-31 12:00:00.5+02:00`, as microseconds since 1970. It is in UTC unless it carries
 * a zone. Undefined for other text, and for a day that does not exist.
 */
export function utcUs(text: string): number | undefined {
  const match: readonly (string | undefined)[] | null = form.exec(text.trim());
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits = "0") => Number(digits));
  if (month < 1 || month > 12 || day < 1 || day > daysOfMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const localSec = dayNumber(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second;
  const [fraction = "", zone = ""] = match.slice(7);
  return (localSec * 1000 - offsetMs(zone)) * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

function daysOfMonth(year: number, month: number): number {
  return dayNumber(month === 12 ? year + 1 : year, (month % 12) + 1, 1) - dayNumber(year, month, 1);
}

/** Days since 1970 in the Gregorian calendar. Years begin in March, so that a leap day is their last one. */
function dayNumber(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (hours === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
