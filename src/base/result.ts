/** An expected outcome that may be a refusal: returned, never thrown. */
export type Result<Value, Problem> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly error: Problem };

/** A result that holds `value`. */
export function ok<Value>(value: Value): {
  readonly ok: true;
  readonly value: Value;
} {
  return { ok: true, value };
}

/** A result that holds the reason of a refusal. */
export function err<Problem>(error: Problem): {
  readonly ok: false;
  readonly error: Problem;
} {
  return { ok: false, error };
}
