/** Assertions for bugs of this program. Unexpected input is never asserted: it is an input or an error value. */

export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Throws AssertionError when `condition` does not hold, which is always a bug in this program. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}
