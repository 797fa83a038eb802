import { type Log, type LogFields, silentLog } from "../ports/log.ts";
import type { VirtualClock } from "./virtual-clock.ts";

/** Adds `atMs`, the virtual time since the start, to each line; silent without `log`. */
export function timedLog(log: Log | undefined, time: VirtualClock): Log {
  if (log === undefined) return silentLog;
  const timed = (fields: LogFields): LogFields => ({ atMs: time.elapsedMs, ...fields });
  return {
    debug: (fields, message) => log.debug(timed(fields), message),
    info: (fields, message) => log.info(timed(fields), message),
    warn: (fields, message) => log.warn(timed(fields), message),
    error: (fields, message) => log.error(timed(fields), message),
  };
}
