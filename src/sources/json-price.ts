import { parseJson } from "../spec/bounded-json.ts";
import type { JsonPaths } from "./feed-settings.ts";
import type { SourceInput } from "./price-feed.ts";

/** Longest document: a list of all tickers of a large exchange has some megabytes. */
export const DOCUMENT_BYTES_MAX = 8 * 1024 * 1024;
const VALUES_MAX = 500_000;

const decoder = new TextDecoder();

/** A price in a JSON document; the text says why there is none. */
export function priceIn(
  name: string,
  bytes: Uint8Array,
  { bid: bidPath, ask: askPath, time }: JsonPaths,
): SourceInput | string {
  const parsed = parseJson(decoder.decode(bytes), {
    bytes: DOCUMENT_BYTES_MAX,
    values: VALUES_MAX,
  });
  if (!parsed.ok) return `the message ${parsed.error}`;
  const [bid, ask] = [bidPath, askPath].map((path) => numberOf(at(parsed.value, path)));
  if (bid === undefined || ask === undefined) {
    return `the message has no number at ${bid === undefined ? bidPath : askPath}`;
  }
  const timeMs = time === undefined ? undefined : timeOf(at(parsed.value, time));
  return { type: "source", name, bid, ask, ...(timeMs === undefined ? {} : { timeMs }) };
}

/** The value at a path such as `data.0.bid`; undefined when there is none. */
function at(document: unknown, path: string): unknown {
  let value = document;
  for (const part of path.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** A number, also as text; NaN is one, which the kernel refuses. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.trim() === "") return undefined;
  return Number(value);
}

/** Unix milliseconds of a time in seconds, milliseconds, microseconds or nanoseconds, which their size tells apart, or of a date as text. */
function timeOf(value: unknown): number | undefined {
  const number = numberOf(value);
  if (number === undefined) return undefined;
  if (Number.isNaN(number)) {
    const dateMs = Date.parse(String(value));
    return Number.isNaN(dateMs) ? undefined : dateMs;
  }
  for (const [below, perMs] of units) if (number < below) return number / perMs;
  return undefined;
}

/** The year 5138 in seconds, 1973 in the next finer unit. */
const units = [
  [1e11, 1e-3],
  [1e14, 1],
  [1e17, 1e3],
  [1e20, 1e6],
] as const;
