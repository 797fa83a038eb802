import type { Exchange } from "../exchange/exchange.ts";

/** Something that is read of an exchange, once for each of its blocks: without a block nothing changes there (D30). */
export class OncePerBlock<Value> {
  readonly #read: (exchange: Exchange) => Value;
  #newest:
    | { readonly exchange: Exchange; readonly block: number; readonly value: Value }
    | undefined;

  constructor(read: (exchange: Exchange) => Value) {
    this.#read = read;
  }

  of(exchange: Exchange): Value {
    const block = exchange.blockNumber;
    if (this.#newest?.exchange !== exchange || this.#newest.block !== block) {
      this.#newest = { exchange, block, value: this.#read(exchange) };
    }
    return this.#newest.value;
  }
}
