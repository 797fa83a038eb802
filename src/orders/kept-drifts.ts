import { addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Need } from "./balance-change.ts";
import type { ListedTransfers } from "./listed-transfers.ts";
import { isDust } from "./unexplained-change.ts";

/** Most drifts kept, so that a late event can still explain one. */
const MAX_DRIFTS = 100;
/** Most tokens with a total, besides the bot's own: a venue may name new ones in every report. */
const MAX_TOKENS = 1_000;

/** A change of a token's balance that no fill, fee, deposit, withdrawal or transfer explains. */
export interface BalanceDrift {
  readonly tokenId: TokenId;
  /** Positive: the account has more than it should have. */
  readonly amount: Fixed;
  /** It began in a block after this one … */
  readonly afterBlock: number;
  /** … and no later than in this one. */
  readonly untilBlock: number;
  /** Hashes of the account's transactions that are known in these blocks, and order ids of fills without a block; oldest first. */
  readonly transactions: readonly string[];
  /** Hashes of transfers without an event that together are the change, from the venue's list; empty when there are none. */
  readonly transfers: readonly string[];
  /** Hash and status of listed transfers of this amount that are not known to be done, so that they explain nothing. */
  readonly unconfirmed: readonly string[];
  /** Events may have been missed in these blocks, so a deposit or withdrawal may be the reason. */
  readonly mayBeUnseen: boolean;
}

/** A drift, and when it happened by the venue's clock. */
interface KeptDrift {
  readonly drift: BalanceDrift;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** The drifts that nothing has explained so far, oldest first. */
export class KeptDrifts {
  #drifts: readonly KeptDrift[] = [];
  readonly #total = new Map<TokenId, Fixed>();
  readonly #inParts: boolean;
  readonly #ownTokens: ReadonlySet<TokenId>;

  /** `inParts`: see the kernel's `explainsDriftInParts`. `ownTokens`: those that the bot's markets trade, which are always counted. */
  constructor(inParts: boolean, ownTokens: ReadonlySet<TokenId>) {
    this.#inParts = inParts;
    this.#ownTokens = ownTokens;
  }

  /** The sum of all drifts by token, without those that deposits or withdrawals may explain. */
  get total(): ReadonlyMap<TokenId, Fixed> {
    return this.#total;
  }

  keep(kept: KeptDrift): void {
    this.#drifts = [...this.#drifts, kept].slice(-MAX_DRIFTS);
    this.#count(kept.drift);
  }

  /**
   * A late event explains a drift of its blocks and amount. One that the venue's lists of fills cannot have shown before (`isOfAccount`)
   * also explains a part: the change certainly contains it. Returns what it explains.
   */
  explainBy(
    { tokenId, amount }: Need,
    blockNumber: number,
    isOfAccount: boolean,
  ): BalanceDrift | undefined {
    const isPart = this.#inParts && isOfAccount;
    const kept = this.#drifts.find(
      ({ drift }) =>
        drift.tokenId === tokenId &&
        drift.afterBlock < blockNumber &&
        blockNumber <= drift.untilBlock &&
        (isPart || isDust(subFixed(drift.amount, amount))),
    );
    if (kept === undefined) return undefined;
    const left = { ...kept.drift, amount: subFixed(kept.drift.amount, amount) };
    if (isDust(left.amount)) return this.#forget(kept);
    this.#drifts = this.#drifts.map((one) => (one === kept ? { ...kept, drift: left } : one));
    const part = { ...kept.drift, amount };
    this.#count({ ...part, amount: subFixed(ZERO, amount) });
    return part;
  }

  /** Returns the drifts that transfers of the venue's list explain, oldest first. */
  explainByList(transfers: ListedTransfers): readonly BalanceDrift[] {
    const explained: BalanceDrift[] = [];
    // The newest drift used to choose first, and could take the transfer of an older one.
    for (const kept of this.#inParts ? this.#drifts : this.#drifts.toReversed()) {
      const found = transfers.takeExplaining(kept.drift, kept);
      if (found.length > 0) explained.push({ ...this.#forget(kept), transfers: found });
    }
    return this.#inParts ? explained : explained.toReversed();
  }

  #forget(kept: KeptDrift): BalanceDrift {
    this.#drifts = this.#drifts.filter((one) => one !== kept);
    this.#count({ ...kept.drift, amount: subFixed(ZERO, kept.drift.amount) });
    return kept.drift;
  }

  #count({ tokenId, amount, mayBeUnseen }: BalanceDrift): void {
    if (mayBeUnseen) return;
    const total = addFixed(this.#total.get(tokenId) ?? ZERO, amount);
    if (isDust(total)) this.#total.delete(tokenId);
    else if (this.#hasRoomFor(tokenId)) this.#total.set(tokenId, total);
  }

  #hasRoomFor(tokenId: TokenId): boolean {
    return (
      this.#total.has(tokenId) || this.#ownTokens.has(tokenId) || this.#total.size < MAX_TOKENS
    );
  }
}
