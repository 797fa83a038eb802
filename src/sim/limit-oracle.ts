import { fixed, fixedToNumber, type Fixed } from "../domain/fixed.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { Oracle } from "./oracle.ts";

/** The limits of a market that follow from balances and a mid (docs/risk.md). */
interface Limits {
  /** Base token. */
  readonly maxPosition: number;
  /** Quote token. */
  readonly maxOrderNotional: number;
}

/** Relative error of doubles. */
const NOISE = 1e-9;
/** Share by which a limit may differ; rounding takes a thousandth. */
const SLACK = 0.002;
/** A fill or a deposit changes the balances that the bot knows within this time. */
const RECENT_MS = 5_000;
/** A derived position has at most 8 decimals. */
const STEP = 1e-8;

/** What the derived limits of a market have to be, from the venue's balances and the mid of the bot's book when it derives them. */
export class LimitOracle {
  readonly #oracle: Oracle;
  /** The balances at the venue, by the time of the bot's steps, newest last. */
  #recent: { readonly nowMs: number; readonly base: number; readonly quote: number }[] = [];
  /** Everything derived so far, newest last. */
  readonly #derived: Limits[] = [];
  #limits: Limits | undefined;
  #maxPosition: Fixed | undefined;

  constructor(oracle: Oracle) {
    this.#oracle = oracle;
  }

  /** Undefined before the bot has derived any. */
  get limits(): Limits | undefined {
    return this.#limits;
  }

  /** In base token; undefined before the bot has derived it. */
  get maxPosition(): Fixed | undefined {
    return this.#maxPosition;
  }

  /** Takes a step after the oracle. Returns a sentence when the bot derives others than these, derives them again, or keeps others. */
  entry({ batch: { nowMs }, notes }: ObservedEntry): string | undefined {
    const { marketId, baseToken, quoteToken } = this.#oracle.market;
    if (this.#limits === undefined) {
      const base = fixedToNumber(this.#oracle.balance(baseToken));
      const quote = fixedToNumber(this.#oracle.balance(quoteToken));
      this.#recent = this.#recent.filter((known) => Math.abs(nowMs - known.nowMs) <= RECENT_MS);
      this.#recent.push({ nowMs, base, quote });
    }
    const values = new Map<string, number>();
    let code = "";
    for (const note of notes) {
      if (note.type !== "limit" || note.of !== marketId) continue;
      values.set(note.limit, fixedToNumber(note.value));
      ({ code } = note);
    }
    if (values.size === 0) return undefined;
    const maxPosition = values.get("maxPosition");
    const maxOrderNotional = values.get("maxOrderNotional");
    if (maxPosition === undefined || maxOrderNotional === undefined) {
      return `only ${[...values.keys()].join()} was derived or kept`;
    }
    const reported = { maxPosition, maxOrderNotional };
    return code === "LIMIT_KEPT" ? this.#kept(reported) : this.#derivedNow(reported);
  }

  #use(limits: Limits): Limits {
    this.#limits = limits;
    this.#maxPosition = fixed(limits.maxPosition.toFixed(12));
    return limits;
  }

  #kept(reported: Limits): string | undefined {
    const known = this.#derived.findLast((limits) => isWithin(reported, limits, NOISE));
    this.#use(known ?? reported);
    return known !== undefined
      ? undefined
      : `a run keeps ${textOf(reported)}, which none has derived`;
  }

  #derivedNow(reported: Limits): string | undefined {
    const { hasJournalGap } = this.#oracle;
    const isFirst = this.#derived.length === 0;
    if (!isFirst && !hasJournalGap) return "limits were derived a second time";
    const possible = this.#possibleNow();
    const [wanted] = possible;
    if (wanted === undefined) return "limits were derived without a mid";
    const isRight = possible.some((limits) => isWithin(reported, limits, SLACK));
    this.#derived.push(this.#use(isRight ? reported : wanted));
    return isRight
      ? undefined
      : `${textOf(reported)} was derived, balances and mid make ${textOf(wanted)}`;
  }

  /** What the balances at the venue make, now and recently, for each mid that the bot may know; empty without one. */
  #possibleNow(): Limits[] {
    return this.#recent.flatMap(({ base, quote }) =>
      this.#mids().map((mid) => {
        return { maxPosition: base + quote / mid, maxOrderNotional: (base * mid + quote) / 2 };
      }),
    );
  }

  #mids(): number[] {
    return this.#oracle.books.live.flatMap((book) => {
      const bid = book.bestPrice("BUY");
      const ask = book.bestPrice("SELL");
      return bid === undefined || ask === undefined ? [] : [(bid + ask) / 2];
    });
  }
}

/** Up to a share of the wanted value. */
function isWithin(reported: Limits, wanted: Limits, share: number): boolean {
  return (["maxPosition", "maxOrderNotional"] as const).every((limit) => {
    const difference = Math.abs(reported[limit] - wanted[limit]);
    return difference <= share * wanted[limit] + STEP;
  });
}

function textOf({ maxPosition, maxOrderNotional }: Limits): string {
  return `a position of ${maxPosition} and an order of ${maxOrderNotional}`;
}
