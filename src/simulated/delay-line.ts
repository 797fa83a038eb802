interface Sent<Item> {
  readonly arrivesMs: number;
  readonly order: number;
  readonly item: Item;
}

/** Takes off what has arrived already once it is that much. */
const COMPACT_AT = 1024;

/**
 * One direction of a network: what is sent comes out after its delay, and never before what was sent earlier. Holds only what
 * is on its way.
 */
export class DelayLine<Item> {
  #sent: Sent<Item>[] = [];
  #next = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  /** `order` ranks items of several lines that arrive in the same millisecond. */
  send(item: Item, sentMs: number, delayMs: number, order = 0): void {
    this.#lastMs = Math.max(this.#lastMs, sentMs + delayMs);
    this.#sent.push({ arrivesMs: this.#lastMs, order, item });
  }

  /** When the next item arrives; Infinity when nothing is on its way. */
  get nextMs(): number {
    return this.#sent[this.#next]?.arrivesMs ?? Number.POSITIVE_INFINITY;
  }

  /** Whether the next item of this line comes before that of another one. */
  isBefore(other: DelayLine<Item>): boolean {
    const [own, its] = [this.#sent[this.#next], other.#sent[other.#next]];
    if (own === undefined || its === undefined) return own !== undefined;
    return own.arrivesMs === its.arrivesMs ? own.order < its.order : own.arrivesMs < its.arrivesMs;
  }

  /** The next item that has arrived at `nowMs`. */
  receive(nowMs: number): Item | undefined {
    const head = this.#sent[this.#next];
    if (head === undefined || head.arrivesMs > nowMs) return undefined;
    this.#next += 1;
    if (this.#next === this.#sent.length) {
      this.#sent.length = 0;
      this.#next = 0;
    } else if (this.#next >= COMPACT_AT) {
      this.#sent = this.#sent.slice(this.#next);
      this.#next = 0;
    }
    return head.item;
  }
}
