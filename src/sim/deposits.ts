import { addFixed, type Fixed, ZERO } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Input } from "../kernel/input.ts";

/** What another account sent to the bot's. */
export interface Deposit {
  readonly tokenId: TokenId;
  readonly amount: Fixed;
  /** The venue's block that made it. */
  readonly blockNumber: number;
}

/** The deposits of a world, and which of them the running bot has been told of: by an event, or by balances of that block or a later one. */
export class Deposits {
  #all: Deposit[] = [];
  #untold: Deposit[] = [];

  add(deposit: Deposit): void {
    this.#all.push(deposit);
    this.#untold.push(deposit);
  }

  /** The venue lost its data. */
  clear(): void {
    this.#all = [];
    this.#untold = [];
  }

  /** A new run knows none of them. */
  runStarts(): void {
    this.#untold = [...this.#all];
  }

  input(input: Input): void {
    if (input.type === "accountEvent") {
      const { blockNumber } = input.event;
      this.#untold = this.#untold.filter((deposit) => deposit.blockNumber !== blockNumber);
    } else if (input.type === "balances") {
      const { blockNumber } = input;
      this.#untold = this.#untold.filter((deposit) => deposit.blockNumber > blockNumber);
    }
  }

  /** Oldest first. */
  get untold(): readonly Deposit[] {
    return this.#untold;
  }

  total(token: TokenId): Fixed {
    return totalOf(this.#all, token);
  }
}

export function totalOf(deposits: readonly Deposit[], token: TokenId): Fixed {
  return deposits.reduce(
    (sum, { tokenId, amount }) => (tokenId === token ? addFixed(sum, amount) : sum),
    ZERO,
  );
}
