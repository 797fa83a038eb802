/** Assertions for our own bugs. What the world does wrong is never asserted, it is an input or an error value. */

export class AssertionError extends Error {
  override readonly name = "AssertionError";
}

/** Throws AssertionError when `condition` does not hold: a bug in this program, never a surprise from outside. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Marks a branch that the types say cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${String(value)}`);
}
