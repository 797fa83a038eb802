/** That in which most is at stake comes first. */
export const modes = ["live", "paper", "dryRun", "demo"] as const;

/** What a strategy does in a market, the worst that holds first: how bad it is, and in words. Imports nothing: the page has it, too. */
export const states = {
  halted: ["bad", "halted"],
  halt: ["bad", "halted by risk"],
  left: ["bad", "market left"],
  stale: ["bad", "no live book"],
  paused: ["warn", "paused"],
  pause: ["warn", "paused by risk"],
  reduceOnly: ["warn", "reduce only"],
  silent: ["warn", "not quoting"],
  oneSide: ["warn", "one side"],
  widen: ["warn", "quoting wider"],
  warn: ["warn", "near a limit"],
  quoting: ["good", "quoting"],
} as const;
export type StrategyState = keyof typeof states;

/** Quotes both sides. */
export function isQuoting(state: StrategyState): boolean {
  return state === "quoting" || state === "warn" || state === "widen";
}
