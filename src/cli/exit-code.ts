import { TouchlineError } from "../base/error.ts";

/** How a command ended, as the shell sees it. */
export const exitCode = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

export type ExitCode = (typeof exitCode)[keyof typeof exitCode];

/** A command line that cannot be understood. */
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
  "MARKET_NOT_RECORDED",
  "MARKET_MAP_INVALID",
  "FEES_UNKNOWN",
]);

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof TouchlineError && usageCodes.has(error.code)
    ? exitCode.usage
    : exitCode.failed;
}
