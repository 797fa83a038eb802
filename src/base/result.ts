/** An expected outcome that may fail: returned, never thrown. */
export type Result<Value, Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Problem };

export function ok<Value>(value: Value): {
  readonly ok: true;
  readonly value: Value;
} {
  return { ok: true, value };
}

export function err<Problem>(error: Problem): {
  readonly ok: false;
  readonly error: Problem;
} {
  return { ok: false, error };
}
