import { absFixed, addFixed, subFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Transfer } from "../domain/order.ts";
import type { Need } from "./balance-change.ts";
import { isDust, type Unexplained, withDust } from "./unexplained-change.ts";

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

/**
 * Statuses of a transfer that has changed the balances, in any case (§2.4, D34). The interface shows samples of them and no list, so every
 * other text says nothing: such a transfer explains no change.
 */
const doneStatuses: ReadonlySet<string> = new Set([
  "CONFIRMED",
  "SUCCESS",
  "SUCCEEDED",
  "SUCCESSFUL",
]);

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
  /** Tokens of the newest list: a report may ask about a thousand tokens, of which few have been transferred. */
  #tokens: ReadonlySet<TokenId> = new Set();
  /** Keys of transfers that have explained a change, the newest ones: later lists show them again, not always all of them. */
  #used = new Set<string>();
  /** Transfers of the newest list whose status does not say that they are done. */
  #unconfirmed: readonly Transfer[] = [];
  readonly #settings: TransferSettings;

  constructor(settings: TransferSettings) {
    this.#settings = settings;
  }

  /** Replaces what is known by the newest rows of a list. */
  list(rows: readonly Transfer[]): void {
    this.#byKey = new Map();
    const shown = new Set<string>();
    const newest = rows.slice(0, TRANSFERS_MAX);
    this.#tokens = new Set(newest.map(({ tokenId }) => tokenId));
    this.#unconfirmed = newest.filter((row) => !isDone(row));
    for (const row of newest) {
      if (!isDone(row)) continue;
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
    if (!this.#tokens.has(tokenId)) return { amount, transfers: [] };
    const find = this.#finderIn(tokenId, span);
    const transfers = this.#take(find(amount));
    if (transfers.length > 0 || !this.#settings.transfersWithFills) return { amount, transfers };
    let tries = 0;
    for (const part of left.atEachCut()) {
      tries += 1;
      if (tries > CUTS_MAX) break;
      const explaining = this.#take(find(part));
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
    return this.#take(this.#finderIn(tokenId, span)(amount));
  }

  /** Hash and status of listed transfers of this amount that are not known to be done. */
  unconfirmedOf({ tokenId, amount }: Need): readonly string[] {
    if (!this.#tokens.has(tokenId)) return [];
    return this.#unconfirmed
      .filter((row) => row.tokenId === tokenId && isDust(subFixed(row.amount, amount)))
      .map(({ txHash, status }) => `${txHash} (${status ?? ""})`);
  }

  /** Finds the transfers of a token within a span that are an amount together; newest first. */
  #finderIn(
    tokenId: TokenId,
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  ): Finder {
    const rows = [...this.#byKey.values()].filter(
      (row) => row.tokenId === tokenId && row.timeMs >= fromMs && row.timeMs <= untilMs,
    );
    const sum = rows.reduce((total, row) => addFixed(total, row.amount), ZERO);
    const findPart = this.#settings.transfersInRuns ? oldestRunOf(rows) : onlyOneOf(rows);
    return (amount) => (isDust(subFixed(sum, amount)) ? rows : findPart(amount));
  }

  #take(found: readonly Transfer[]): readonly string[] {
    for (const row of found) {
      const key = transferKey(row);
      this.#byKey.delete(key);
      this.#used.add(key);
    }
    return found.map(({ txHash }) => txHash).toReversed();
  }
}

function isDone({ status }: Transfer): boolean {
  return status === undefined || doneStatuses.has(status.toUpperCase());
}

/** Transfers whose sum is this amount; empty when there are none. */
type Finder = (amount: Fixed) => readonly Transfer[];

/** The only row of an amount; none when several have it. */
function onlyOneOf(rows: readonly Transfer[]): Finder {
  return (amount) => {
    const same = rows.filter((row) => isDust(subFixed(row.amount, amount)));
    return same.length === 1 ? same : [];
  };
}

/** Rows that follow each other. `size` is the sum as a double, which is compared first because that is quicker. */
interface Run {
  readonly from: number;
  readonly end: number;
  readonly sum: Fixed;
  readonly size: number;
}

/**
 * The oldest rows that follow each other and are an amount together; `rows` are newest first. Each change takes the oldest that it can, so
 * a later one of the same amount still finds its own.
 */
function oldestRunOf(rows: readonly Transfer[]): Finder {
  const runs: Run[] = [];
  for (let end = rows.length; end > Math.max(0, rows.length - ROWS_MAX); end -= 1) {
    let sum = ZERO;
    for (let from = end - 1; from >= Math.max(0, end - RUN_MAX); from -= 1) {
      sum = addFixed(sum, rows[from]?.amount ?? ZERO);
      runs.push({ from, end, sum, size: Number(sum) });
    }
  }
  return (amount) => {
    const { least, most } = withDust(amount);
    const from = Number(least);
    const to = Number(most);
    const run = runs.find(
      ({ size, sum }) => size >= from && size <= to && sum >= least && sum <= most,
    );
    return run === undefined ? [] : rows.slice(run.from, run.end);
  };
}
