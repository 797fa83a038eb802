import { err } from "../base/result.ts";

/** A refusal (D11): the HTTP status is `code`, `errMsg` says in one sentence what is wrong and with which field. */
export interface Failure {
  readonly code: number;
  readonly errMsg: string;
  /** Of a 429, in seconds. */
  readonly retryAfterSec?: number;
}

export function failure(
  code: number,
  errMsg: string,
): { readonly ok: false; readonly error: Failure } {
  return err({ code, errMsg });
}
