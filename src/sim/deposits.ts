import { addFixed, type Fixed, ZERO } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";

/** What another account has sent to the bot's, by token. */
export class Deposits {
  readonly #totals = new Map<TokenId, Fixed>();

  add(token: TokenId, amount: Fixed): void {
    this.#totals.set(token, addFixed(this.total(token), amount));
  }

  total(token: TokenId): Fixed {
    return this.#totals.get(token) ?? ZERO;
  }
}
