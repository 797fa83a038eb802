import type { DashboardSnapshot } from "./snapshot.ts";

/** The bot sends an update each second; on a busy machine they become rarer. */
const LATE_MS = 10_000;

/** A sentence when the newest update is too old. */
export function lateness(ageMs: number): readonly string[] {
  return ageMs < LATE_MS ? [] : [`the bot has sent nothing for ${Math.round(ageMs / 1000)} s`];
}

/** Why the bot may not quote everywhere, as sentences; none when it may. `ageMs`: age of the snapshot. */
export function readiness(
  snapshot: DashboardSnapshot | undefined,
  ageMs: number,
): readonly string[] {
  if (snapshot === undefined) return ["the bot is starting"];
  const problems = snapshot.panels.flatMap(({ name, ticker, standstill, book }) => {
    if (standstill !== null) return [`${name} is ${standstill}`];
    return book.state === "live" ? [] : [`${name}: the book of ${ticker} is ${book.state}`];
  });
  return [...lateness(ageMs), ...problems];
}
