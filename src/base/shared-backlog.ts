/**
 * A limit on what many clients together have not read yet. A limit on each alone would still let a thousand slow clients fill the
 * memory. Beyond it the clients with the largest backlogs are dropped.
 */
export class SharedBacklog<Client> {
  readonly #max: number;
  readonly #sizeOf: (client: Client) => number;
  readonly #drop: (client: Client) => void;
  /** Backlogs above 0, as they were when last looked at. */
  readonly #sizes = new Map<Client, number>();
  #total = 0;

  /** `drop` must lead to `forget`, which may come later. */
  constructor(
    maxBytes: number,
    sizeOf: (client: Client) => number,
    drop: (client: Client) => void,
  ) {
    this.#max = maxBytes;
    this.#sizeOf = sizeOf;
    this.#drop = drop;
  }

  /** Call after sending to a client. */
  note(client: Client): void {
    this.#measure(client);
    if (this.#total <= this.#max) return;
    // Many may have been read meanwhile.
    for (const one of this.#sizes.keys()) this.#measure(one);
    if (this.#total <= this.#max) return;
    const largestFirst = [...this.#sizes].toSorted(([, left], [, right]) => right - left);
    for (const [largest] of largestFirst) {
      // A margin, so that the next message does not look at all clients again.
      if (this.#total <= this.#max * 0.75) return;
      this.forget(largest);
      this.#drop(largest);
    }
  }

  forget(client: Client): void {
    this.#total -= this.#sizes.get(client) ?? 0;
    this.#sizes.delete(client);
  }

  #measure(client: Client): void {
    const size = this.#sizeOf(client);
    if (size === 0) {
      this.forget(client);
      return;
    }
    this.#total += size - (this.#sizes.get(client) ?? 0);
    this.#sizes.set(client, size);
  }
}
