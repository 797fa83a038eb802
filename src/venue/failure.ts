import { err } from "../base/result.ts";
import type { Refusal } from "../exchange/records.ts";
import { refusalCodes } from "../spec/refusal.ts";

/** A failed request (D11). `code` is the HTTP status; `errMsg` says in one sentence what is wrong with which field. */
export interface Failure {
  readonly code: number;
  readonly errMsg: string;
  /** For code 429. */
  readonly retryAfterSec?: number;
}

interface FailedResult {
  readonly ok: false;
  readonly error: Failure;
}

export function failure(code: number, errMsg: string): FailedResult {
  return err({ code, errMsg });
}

/** A refusal of the exchange, with the interface's code for its reason. */
export function refusalFailure({ reason, message }: Refusal): FailedResult {
  return failure(refusalCodes[reason], message);
}
