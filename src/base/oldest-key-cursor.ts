/**
 * Iterates over the keys of a Set or Map from the oldest on, for callers that keep it bounded and delete every key they get.
 * It keeps its iterator, because a new one would skip over all deleted entries: tens of microseconds with thousands of keys.
 * It keeps it weakly, because an unused iterator keeps alive every table that the collection has outgrown.
 */
export class OldestKeyCursor<Key> {
  readonly #keyed: { keys(): Iterator<Key> };
  #walk: WeakRef<Iterator<Key>> | undefined;

  constructor(keyed: { keys(): Iterator<Key> }) {
    this.#keyed = keyed;
  }

  /** The oldest key not yet returned; undefined when there is none. */
  next(): Key | undefined {
    const step = this.#walk?.deref()?.next();
    if (step !== undefined && step.done !== true) return step.value;
    // A finished iterator does not see keys that are added later.
    const walk = this.#keyed.keys();
    this.#walk = new WeakRef(walk);
    const again = walk.next();
    return again.done === true ? undefined : again.value;
  }
}
