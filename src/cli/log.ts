import { createLog } from "../platform/log.ts";
import type { Log } from "../ports/log.ts";
import { usageError } from "./exit-code.ts";

const levels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof levels)[number];

/** Structured lines on stderr; TOUCHLINE_LOG names another level than the given one. */
export function openLog(level: LogLevel, env: Readonly<Record<string, string | undefined>>): Log {
  const wanted = env.TOUCHLINE_LOG;
  const chosen =
    wanted === undefined || wanted === "" ? level : levels.find((each) => each === wanted);
  if (chosen === undefined) {
    throw usageError(`TOUCHLINE_LOG must be one of ${levels.join(", ")}.`);
  }
  return createLog({ level: chosen });
}
