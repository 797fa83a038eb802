import { plainText } from "../base/plain-text.ts";
import { createLog } from "../platform/log.ts";
import type { Log } from "../ports/log.ts";
import { usageError } from "./exit-code.ts";

/** Longest log line on a terminal, in characters. */
const MAX_LINE = 4_000;

export const levels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof levels)[number];

/**
 * Structured log lines on stderr: JSON objects, or readable text when stderr is a terminal. TOUCHLINE_LOG overrides the level.
 */
export function openLog(level: LogLevel, env: Readonly<Record<string, string | undefined>>): Log {
  const wanted = env.TOUCHLINE_LOG;
  const chosen =
    wanted === undefined || wanted === "" ? level : levels.find((each) => each === wanted);
  if (chosen === undefined) {
    throw usageError(`TOUCHLINE_LOG must be one of ${levels.join(", ")}.`);
  }
  if (!process.stderr.isTTY) return createLog({ level: chosen });
  const format = (line: string): string =>
    logText(line)
      .map((each) => `${plainText(each, MAX_LINE)}\n`)
      .join("");
  return createLog({ level: chosen, format });
}

/** By pino's number. */
export const levelNames: Readonly<Record<number, LogLevel>> = {
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
};

/** A log line for people: `2026-01-31T14:02:43.695Z info  fill  side=BUY price=0.21437`, then the stack of an error. */
export function logText(line: string): readonly string[] {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    return [line.trimEnd()];
  }
  if (typeof fields !== "object" || fields === null) return [line.trimEnd()];
  const { level, time, msg, ...rest } = fields as Readonly<Record<string, unknown>>;
  const clock = typeof time === "number" ? new Date(time).toISOString() : "";
  const name = (levelNames[Number(level)] ?? "").padEnd(5);
  const { stack = fieldOf(rest["err"], "stack"), ...shown } = rest;
  const details = Object.entries(shown).map(([key, value]) => `${key}=${detail(value)}`);
  const text = [clock, name, typeof msg === "string" ? msg : "", ...details]
    .join("  ")
    .replaceAll("  ", " ");
  return [text, ...(typeof stack === "string" ? stack.split("\n") : [])];
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function detail(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const message = fieldOf(value, "message");
  return typeof message === "string" ? message : JSON.stringify(value);
}
