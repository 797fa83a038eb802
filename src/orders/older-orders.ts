import type { OrderId } from "../domain/ids.ts";

/**
 * The strategies of the newest `most` orders that were added, by 52 bits of their ids: ten bytes an order, in place from the start, so that
 * memory does not grow for the hours that it takes to fill. Looking one up reads all of them, which the end of a run does.
 */
export class OlderOrders {
  /** 0 where there is none. */
  readonly #fingerprints: Float64Array;
  /** Indexes of `#names`. */
  readonly #strategies: Uint16Array;
  readonly #names: string[] = [];
  #next = 0;

  constructor(most: number) {
    this.#fingerprints = new Float64Array(most);
    this.#strategies = new Uint16Array(most);
  }

  add(orderId: OrderId, strategy: string): void {
    if (this.#fingerprints.length === 0) return;
    let index = this.#names.indexOf(strategy);
    if (index < 0) index = this.#names.push(strategy) - 1;
    this.#fingerprints[this.#next] = fingerprint(orderId);
    this.#strategies[this.#next] = index;
    this.#next = (this.#next + 1) % this.#fingerprints.length;
  }

  /** Undefined for any other order. */
  strategyOf(orderId: OrderId): string | undefined {
    const at = this.#fingerprints.indexOf(fingerprint(orderId));
    return at < 0 ? undefined : this.#names[this.#strategies[at] ?? 0];
  }
}

/** 1 to 2^52, from the last digits of the id: it is a hash, so of 100,000 ids hardly two have the same. */
function fingerprint(orderId: OrderId): number {
  return Number.parseInt(orderId.slice(-FINGERPRINT_DIGITS), 16) + 1;
}

/** Hexadecimal digits that a double holds exactly. */
const FINGERPRINT_DIGITS = 13;
