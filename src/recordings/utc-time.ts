const form =
  /^(\d{4})[-/]?(\d\d)[-/]?(\d\d)(?:[T ](\d\d):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?(?: ?(Z|UTC|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?))?)?$/i;

/**
 * A date with or without a time of day, such as `2025-01-31 12:00:00.5+02:00`, as microseconds since 1970. It is in UTC unless it carries
 * a zone. Undefined for other text, and for a day that does not exist.
 */
export function utcUs(text: string): number | undefined {
  const match = form.exec(text.trim());
  if (match === null) return undefined;
  const [, year, month, day, hour = "00", minute = "00", second = "00", fraction = "", zone = ""] =
    match;
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(local) || new Date(local).getUTCDate() !== Number(day)) return undefined;
  return (local - offsetMs(zone)) * 1000 + Number(fraction.padEnd(6, "0").slice(0, 6));
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes = "0"] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
  if (hours === undefined) return 0;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}
