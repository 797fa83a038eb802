import { absFixed, addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Transfer } from "../domain/order.ts";
import type { Need } from "./balance-change.ts";
import { isDust, type Unexplained } from "./unexplained-change.ts";

/** Most transfers that are remembered, as many as the venue lists at once (§4.1). */
const TRANSFERS_MAX = 500;

/** Most transfers that are remembered because they have explained a change. */
const USED_MAX = 2_000;

/** The key of a transfer, the same for its event and for its row in a list. */
export function transferKey({
  txHash,
  tokenId,
  amount,
}: {
  readonly txHash: string;
  readonly tokenId: TokenId;
  readonly amount: Fixed;
}): string {
  return `${txHash.toLowerCase()} TRANSFER ${tokenId} ${absFixed(amount)}`;
}

/** Bounds of the search for transfers that explain a change, so that a venue with thousands of them does not hold the event loop. */
const RUN_MAX = 20;
const ROWS_MAX = 100;
const CUTS_MAX = 100;

export interface TransferSettings {
  /** A transfer that has explained a change is remembered although a list leaves it out. */
  readonly transfersExplainOnce: boolean;
  /** Of several transfers near a change, those that follow each other explain it, also when others have the same amount. */
  readonly transfersInRuns: boolean;
  /** A transfer and fills without a block may explain a change together. */
  readonly transfersWithFills: boolean;
}

/** Transfers of the account that the venue's list has shown and no event. The list has no blocks (§2.4), so they are found by time. */
export class ListedTransfers {
  #byKey = new Map<string, Transfer>();
  /** Keys of transfers that have explained a change, the newest ones: later lists show them again, not always all of them. */
  #used = new Set<string>();
  readonly #settings: TransferSettings;

  constructor(settings: TransferSettings) {
    this.#settings = settings;
  }

  /** Replaces what is known by the newest rows of a list. */
  list(rows: readonly Transfer[]): void {
    this.#byKey = new Map();
    const shown = new Set<string>();
    for (const row of rows.slice(0, TRANSFERS_MAX)) {
      const key = transferKey(row);
      if (this.#used.has(key)) shown.add(key);
      else this.#byKey.set(key, row);
    }
    if (!this.#settings.transfersExplainOnce) this.#used = shown;
    for (const oldest of this.#used) {
      if (this.#used.size <= USED_MAX) return;
      this.#used.delete(oldest);
    }
  }

  /** An event has told of this transfer. True when it has explained a change. */
  forget(key: string): boolean {
    this.#byKey.delete(key);
    return this.#used.has(key);
  }

  /**
   * `takeExplaining` for what is left of a change. A fill near a report may be before or after it, so each cut is tried. Returns what
   * the transfers explain, or the amount that is left for certain.
   */
  takeExplainingOneOf(
    tokenId: TokenId,
    left: Unexplained,
    span: { readonly fromMs: number; readonly untilMs: number },
  ): { readonly amount: Fixed; readonly transfers: readonly string[] } {
    const { amount } = left;
    const rows = this.#rowsIn(tokenId, span);
    const transfers = this.#take(rows, amount);
    if (transfers.length > 0 || !this.#settings.transfersWithFills) return { amount, transfers };
    let tries = 0;
    for (const part of left.atEachCut()) {
      tries += 1;
      if (tries > CUTS_MAX) break;
      const explaining = this.#take(rows, part);
      if (explaining.length > 0) return { amount: part, transfers: explaining };
    }
    return { amount, transfers };
  }

  /**
   * Removes and names the transfers that are a change of a token: all of the token within the span, or a run of them. A span is wider than
   * the time between two reports, so those of other changes may be in it. Empty when none are. Times are the venue's.
   */
  takeExplaining(
    { tokenId, amount }: Need,
    span: { readonly fromMs: number; readonly untilMs: number },
  ): readonly string[] {
    return this.#take(this.#rowsIn(tokenId, span), amount);
  }

  /** Newest first. */
  #rowsIn(
    tokenId: TokenId,
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  ): readonly Transfer[] {
    return [...this.#byKey.values()].filter(
      (row) => row.tokenId === tokenId && row.timeMs >= fromMs && row.timeMs <= untilMs,
    );
  }

  #take(rows: readonly Transfer[], amount: Fixed): readonly string[] {
    const sum = rows.reduce((total, row) => addFixed(total, row.amount), ZERO);
    const part = this.#settings.transfersInRuns ? oldestRun : onlyOne;
    const found = isDust(subFixed(sum, amount)) ? rows : part(rows, amount);
    for (const row of found) {
      const key = transferKey(row);
      this.#byKey.delete(key);
      this.#used.add(key);
    }
    return found.map(({ txHash }) => txHash).toReversed();
  }
}

/** The only row of this amount; none when several have it. */
function onlyOne(rows: readonly Transfer[], amount: Fixed): readonly Transfer[] {
  const same = rows.filter((row) => isDust(subFixed(row.amount, amount)));
  return same.length === 1 ? same : [];
}

/**
 * The oldest rows that follow each other and are the amount together; `rows` are newest first. Each change takes the oldest that it can, so
 * a later one of the same amount still finds its own.
 */
function oldestRun(rows: readonly Transfer[], amount: Fixed): readonly Transfer[] {
  for (let end = rows.length; end > Math.max(0, rows.length - ROWS_MAX); end -= 1) {
    let sum = ZERO;
    const oldestFirst = rows.slice(Math.max(0, end - RUN_MAX), end).toReversed();
    for (const [before, row] of oldestFirst.entries()) {
      sum = addFixed(sum, row.amount);
      if (isDust(subFixed(sum, amount))) return rows.slice(end - 1 - before, end);
    }
  }
  return [];
}
