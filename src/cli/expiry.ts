import { parseDurationMs } from "../domain/setting.ts";
import { utcUs } from "../domain/utc-time.ts";
import { usageError } from "./exit-code.ts";
import type { Option } from "./option.ts";

/** Expiry of a session: relative to the venue's time, or absolute. */
export type Expiry = { readonly inMs: number } | { readonly atMs: number };

/** A bare number is refused: it could be seconds, days, or a year. */
export function parseExpiry(written: string): Expiry {
  const inMs = parseDurationMs(written);
  if (inMs !== undefined && inMs > 0) return { inMs };
  const allowed = "must be a duration such as 7d or 12h, or a time such as 2026-01-31T12:00:00Z";
  const atUs = /\D/.test(written.trim()) ? utcUs(written) : undefined;
  if (atUs === undefined) throw new Error(allowed);
  return { atMs: Math.floor(atUs / 1000) };
}

export const expiryOption: Option<Expiry> = {
  flags: "--expires <time>",
  about: "when it expires, in a minute to a year: a duration such as 7d, or a time (default 7d)",
  fallback: { inMs: 7 * 86_400_000 },
  parse: parseExpiry,
};

/** A shorter session is over before it is of use. */
const SHORTEST_MS = 60_000;

/** Expiry in Unix seconds, given the venue's time. Throws `USAGE` when it is less than a minute ahead. */
export function expirySecOf(expiry: Expiry, nowMs: number): number {
  const atMs = "atMs" in expiry ? expiry.atMs : nowMs + expiry.inMs;
  const leftMs = atMs - nowMs;
  if (leftMs > 0 && leftMs < SHORTEST_MS) {
    throw usageError("--expires is less than a minute ahead: such a session is of no use.");
  }
  return Math.floor(atMs / 1000);
}
