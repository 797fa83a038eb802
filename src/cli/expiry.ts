import { parseDurationMs, durationText } from "../domain/setting.ts";
import type { Option } from "./option.ts";

/** Expiry of a session: relative to the venue's time, or absolute. */
export type Expiry = { readonly inMs: number } | { readonly atSec: number };

function parseExpiry(written: string): Expiry {
  const inMs = parseDurationMs(written);
  if (inMs !== undefined && inMs > 0) return { inMs };
  const atMs = /^\d{9,11}$/.test(written) ? Number(written) * 1000 : Date.parse(written);
  if (!Number.isFinite(atMs)) {
    throw new Error(
      "must be a duration such as 7d or 12h, a time such as 2026-01-31T12:00:00Z, or Unix seconds",
    );
  }
  return { atSec: Math.floor(atMs / 1000) };
}

export function expiryOption<Fallback extends Expiry | undefined>(
  about: string,
  fallback: Fallback,
): Option<Expiry, Fallback> {
  const usual =
    fallback !== undefined && "inMs" in fallback ? ` (default ${durationText(fallback.inMs)})` : "";
  return { flags: "--expires <time>", about: `${about}${usual}`, fallback, parse: parseExpiry };
}

/** Expiry in Unix seconds, given the venue's time. */
export function expirySecOf(expiry: Expiry, nowMs: number): number {
  return "atSec" in expiry ? expiry.atSec : Math.floor((nowMs + expiry.inMs) / 1000);
}
