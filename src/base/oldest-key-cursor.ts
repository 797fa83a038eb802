/**
 * Iterates over the keys of a Set or Map from the oldest on, for callers that keep it bounded and delete every key they get.
 * It keeps its iterator, because a new one would skip over all deleted entries: tens of microseconds with thousands of keys.
 */
export class OldestKeyCursor<Key> {
  readonly #keyed: { keys(): Iterator<Key> };
  #walk: Iterator<Key>;

  constructor(keyed: { keys(): Iterator<Key> }) {
    this.#keyed = keyed;
    this.#walk = keyed.keys();
  }

  /** The oldest key not yet returned; undefined when there is none. */
  next(): Key | undefined {
    const step = this.#walk.next();
    if (step.done !== true) return step.value;
    // A finished iterator does not see keys that are added later.
    this.#walk = this.#keyed.keys();
    const again = this.#walk.next();
    return again.done === true ? undefined : again.value;
  }
}
