interface Sent<Item> {
  readonly arrivesMs: number;
  readonly item: Item;
}

/** Takes off what has arrived already once it is that much. */
const COMPACT_AT = 1024;

/**
 * One direction of a network: what goes in comes out `delayMs` later, in the order in which it went in. Holds what was
 * sent within one delay.
 */
export class DelayLine<Item> {
  readonly #delayMs: number;
  #sent: Sent<Item>[] = [];
  #next = 0;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  send(item: Item, nowMs: number): void {
    this.#sent.push({ arrivesMs: nowMs + this.#delayMs, item });
  }

  /** When the next item arrives; Infinity when nothing is on its way. */
  get nextMs(): number {
    return this.#sent[this.#next]?.arrivesMs ?? Number.POSITIVE_INFINITY;
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
