import { fixed, fixedToNumber, subFixed, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { UserTrade } from "../exchange/records.ts";
import type { ObservedEntry } from "../runtime/observers.ts";
import type { Deposit } from "./deposits.ts";
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
/** The largest share that rounding down to four digits takes off. */
const ROUNDING = 1e-3;
/** Share by which a limit may differ while fills and a deposit are under way. */
const UNDER_WAY = 0.02;
/** A derived position has at most 8 decimals. */
const STEP = 1e-8;

/** What the derived limits of a market have to be, from the venue's balances and the mid of the bot's book when it derives them. */
export class LimitOracle {
  readonly #oracle: Oracle;
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
  entry({ notes }: ObservedEntry): string | undefined {
    const { marketId } = this.#oracle.market;
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
    const known = this.#derived.findLast((limits) => isWithin(reported, limits, NOISE, NOISE));
    this.#use(known ?? reported);
    return known !== undefined || this.#oracle.hasUnseenStep
      ? undefined
      : `a run keeps ${textOf(reported)}, which none has derived`;
  }

  #derivedNow(reported: Limits): string | undefined {
    const { hasJournalGap, hasUnseenStep } = this.#oracle;
    const isFirst = this.#derived.length === 0;
    if (!isFirst && !hasJournalGap) return "limits were derived a second time";
    const possible = this.#possibleNow();
    const [wanted] = possible;
    if (wanted === undefined) return "limits were derived without a mid";
    const isCertain = isFirst && !hasUnseenStep;
    const isRight = possible.some((limits) =>
      isCertain
        ? isWithin(reported, limits, ROUNDING, NOISE)
        : isWithin(reported, limits, UNDER_WAY, UNDER_WAY),
    );
    this.#derived.push(this.#use(isRight ? reported : wanted));
    return isRight
      ? undefined
      : `${textOf(reported)} was derived, balances and mid make ${textOf(wanted)}`;
  }

  /**
   * What the balances at the venue make, and what those before its newest trades made of which the bot has not been told: orders of
   * another market may trade before this one has its first mid. Each also without the deposits of which the running bot has not been told,
   * since limits that a power cut took from the journal are derived again among deposits. All that for each mid that the bot may know;
   * empty without one.
   */
  #possibleNow(): Limits[] {
    const untold = this.#oracle.untoldTrades();
    const deposits = this.#oracle.deposits.untold;
    return [undefined, ...untold].flatMap((_, count) => {
      const trades = untold.slice(0, count);
      return [
        ...this.#limitsBefore(trades),
        ...(deposits.length === 0 ? [] : this.#limitsBefore(trades, deposits)),
      ];
    });
  }

  /** From the balances without the changes of these trades and deposits, for each mid that the bot may know. */
  #limitsBefore(trades: readonly UserTrade[], deposits: readonly Deposit[] = []): Limits[] {
    const { baseToken, quoteToken } = this.#oracle.market;
    const held = (token: TokenId): number =>
      fixedToNumber(
        subFixed(this.#oracle.balance(token), this.#oracle.changeBy(trades, token, deposits)),
      );
    const base = held(baseToken);
    const quote = held(quoteToken);
    return this.#mids().map((mid) => {
      return { maxPosition: base + quote / mid, maxOrderNotional: (base * mid + quote) / 2 };
    });
  }

  #mids(): number[] {
    return this.#oracle.books.live.flatMap((book) => {
      const bid = book.bestPrice("BUY");
      const ask = book.bestPrice("SELL");
      return bid === undefined || ask === undefined ? [] : [(bid + ask) / 2];
    });
  }
}

/** `below` and `above` are shares of the wanted value by which a limit may miss it. */
function isWithin(reported: Limits, wanted: Limits, below: number, above: number): boolean {
  return (["maxPosition", "maxOrderNotional"] as const).every((limit) => {
    const difference = reported[limit] - wanted[limit];
    return (
      difference >= -below * wanted[limit] - STEP && difference <= above * wanted[limit] + STEP
    );
  });
}

function textOf({ maxPosition, maxOrderNotional }: Limits): string {
  return `a position of ${maxPosition} and an order of ${maxOrderNotional}`;
}
