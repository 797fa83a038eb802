interface Sent<Item> {
  readonly arrivesMs: number;
  readonly order: number;
  readonly item: Item;
}

/** The places of received items are removed in batches of this size. */
const COMPACT_AT = 1024;

/** One direction of a network. An item arrives after its delay, and never before an item that was sent earlier. */
export class DelayLine<Item> {
  /** Received ones are undefined. */
  #sent: (Sent<Item> | undefined)[] = [];
  #next = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** `order` ranks items of several lines that arrive in the same millisecond. */
  send(item: Item, sentMs: number, delayMs: number, order = 0): void {
    this.#lastMs = Math.max(this.#lastMs, sentMs + delayMs);
    this.#sent.push({ arrivesMs: this.#lastMs, order, item });
  }

  /** Arrival time of the next item; Infinity when none is in transit. */
  get nextMs(): number {
    return this.#sent[this.#next]?.arrivesMs ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the next item of this line arrives before the next item of `other`. */
  isBefore(other: DelayLine<Item>): boolean {
    const [own, its] = [this.#sent[this.#next], other.#sent[other.#next]];
    if (own === undefined || its === undefined) return own !== undefined;
    return own.arrivesMs === its.arrivesMs ? own.order < its.order : own.arrivesMs < its.arrivesMs;
  }

  /** Removes and returns the next item that has arrived by `nowMs`; undefined when none has. */
  receive(nowMs: number): Item | undefined {
    const head = this.#sent[this.#next];
    if (head === undefined || head.arrivesMs > nowMs) return undefined;
    this.#sent[this.#next] = undefined;
    this.#next += 1;
    if (this.#next >= COMPACT_AT) {
      this.#sent = this.#sent.slice(this.#next);
      this.#next = 0;
    }
    return head.item;
  }
}
