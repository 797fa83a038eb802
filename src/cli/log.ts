import { plainText } from "../base/plain-text.ts";
import { createLog } from "../platform/log.ts";
import type { Log } from "../ports/log.ts";
import { usageError } from "./exit-code.ts";

/** Longest log line on a terminal, in characters. */
const MAX_LINE = 4_000;

const levels = ["debug", "info", "warn", "error"] as const;
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
  const format = (line: string): string => `${plainText(logLineText(line), MAX_LINE)}\n`;
  return createLog({ level: chosen, format });
}

const levelNames: Readonly<Record<number, string>> = {
  20: "debug",
  30: "info",
  40: "warn",
  50: "error",
};

/** Formats a log line for people: `14:02:43.695 info  fill  side=BUY price=0.21437`. */
function logLineText(line: string): string {
  let fields: unknown;
  try {
    fields = JSON.parse(line);
  } catch {
    return line.trimEnd();
  }
  if (typeof fields !== "object" || fields === null) return line.trimEnd();
  const { level, time, msg, ...rest } = fields as Readonly<Record<string, unknown>>;
  const clock = typeof time === "number" ? new Date(time).toISOString().slice(11, 23) : "";
  const name = (levelNames[Number(level)] ?? "").padEnd(5);
  const details = Object.entries(rest).map(([key, value]) => `${key}=${detail(value)}`);
  return [clock, name, typeof msg === "string" ? msg : "", ...details]
    .join("  ")
    .replaceAll("  ", " ");
}

function detail(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const message: unknown = Reflect.get(value, "message");
  return typeof message === "string" ? message : JSON.stringify(value);
}
