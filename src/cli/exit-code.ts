import { TouchlineError } from "../base/error.ts";

/** Exit codes of the process. */
export const exitCode = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** Error about an invalid command line. */
export function usageError(message: string, hint?: string): TouchlineError {
  return new TouchlineError("USAGE", message, hint === undefined ? {} : { hint });
}

const usageCodes: ReadonlySet<string> = new Set([
  "USAGE",
  "CONFIG_INVALID",
  "KEY_MISSING",
  "KEY_INVALID",
  "PASSWORD_MISSING",
  "WITHDRAWAL_UNKNOWN",
  "PLUGIN_UNTRUSTED",
  "EXPIRY_INVALID",
  "MARKET_AMBIGUOUS",
  "MARKET_TWICE",
  "MARKET_NAME_UNKNOWN",
  "MARKET_NOT_RECORDED",
  "MARKET_MAP_INVALID",
  "FEES_UNKNOWN",
  "OUT_NOT_EMPTY",
  "RECORDING_MISSING",
  "IMPORT_FORMAT_UNKNOWN",
  "IMPORT_FILES",
  "IMPORT_FILE_MISSING",
]);

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof TouchlineError && usageCodes.has(error.code)
    ? exitCode.usage
    : exitCode.failed;
}

/** What to do when a bot ended and its orders may still be open. */
export const OPEN_ORDERS_HINT =
  "`touchline order open` lists the orders at the venue; the next start adopts orders that are still open.";
