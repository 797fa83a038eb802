const FIRST_MS = 25;
const LONGEST_MS = 1_000;

/**
 * Repeats a query until it says that it is done, or for `limitMs`, with growing waits. `query` gets the value before. Resolves with the
 * last value, and whether it was done.
 */
export async function poll<Value>(
  limitMs: number,
  query: (last: Value | undefined) => Promise<readonly [value: Value, isDone: boolean]>,
): Promise<{ readonly value: Value; readonly isDone: boolean }> {
  const until = performance.now() + limitMs;
  let last: Value | undefined;
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_MS)) {
    const [value, isDone] = await query(last);
    if (isDone || performance.now() + waitMs > until) return { value, isDone };
    last = value;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}
