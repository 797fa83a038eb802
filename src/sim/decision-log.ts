import { Decimal } from "../domain/decimal.ts";
import { fixed, type Fixed } from "../domain/fixed.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { Decision } from "../strategy/contract.ts";
import type { MarketView } from "../strategy/view.ts";

export interface WantedOrder {
  readonly side: Side;
  readonly price: number;
  readonly size: Fixed;
  /** False: an order that fits may stay, but none is to be placed. */
  readonly isPlaced: boolean;
}

/** What a decision of a strategy wants to have resting. */
export interface WantedQuotes {
  /** The strategy's definition by its name. */
  readonly strategy: string;
  readonly quotes: readonly WantedOrder[];
  /** Absolute, in quote token. */
  readonly tolerance: number;
  readonly fartherTolerance?: number;
  /** As a share of the wanted size. */
  readonly sizeTolerance: number;
  /** The position that it works to, base token. */
  readonly workTo?: Fixed | undefined;
  /** Best prices of others that the decision saw; undefined for an empty side. */
  readonly touch: Readonly<Record<Side, number | undefined>>;
}

/** Decisions stay in the log for this long after the next one: orders follow within milliseconds, and judges look every 50 ms. */
const KEEP_MS = 200;

interface Entry extends WantedQuotes {
  readonly atMs: number;
}

/** The newest decisions of each strategy, by market. */
export class DecisionLog {
  readonly #entries = new Map<MarketId, Map<string, Entry[]>>();

  runStarts(): void {
    this.#entries.clear();
  }

  /** `strategy`: its name among those of the market. */
  add(strategy: string, view: MarketView, decision: Decision, atMs: number): void {
    if (decision.type !== "set") return;
    const { marketId } = view.market;
    const ofMarket = this.#entries.get(marketId) ?? new Map<string, Entry[]>();
    this.#entries.set(marketId, ofMarket);
    const entries = ofMarket.get(strategy) ?? [];
    const firstKept = entries.findIndex((_, at) => {
      const next = entries[at + 1];
      return next === undefined || atMs - next.atMs <= KEEP_MS;
    });
    ofMarket.set(strategy, [
      ...entries.slice(Math.max(0, firstKept)),
      {
        atMs,
        strategy,
        quotes: [...ordersOf("BUY", decision.bids), ...ordersOf("SELL", decision.asks)],
        tolerance: decision.tolerance * (view.book.mid ?? 0),
        fartherTolerance: (decision.fartherTolerance ?? decision.tolerance) * (view.book.mid ?? 0),
        sizeTolerance: decision.sizeTolerance,
        workTo: decision.workTo && amountOf(decision.workTo.position),
        touch: {
          BUY: view.book.best("BUY")?.price,
          SELL: view.book.best("SELL")?.price,
        },
      },
    ]);
  }

  /** The strategy has failed in a market: it wants nothing any more. */
  ended(strategy: string, marketId: MarketId): void {
    this.#entries.get(marketId)?.delete(strategy);
  }

  /** The decision in force of each strategy in a market. */
  newest(marketId: MarketId): readonly WantedQuotes[] {
    return [...(this.#entries.get(marketId)?.values() ?? [])].flatMap((entries) =>
      entries.slice(-1),
    );
  }

  /** Those, and the ones that they have just replaced. */
  recent(marketId: MarketId): readonly WantedQuotes[] {
    return [...(this.#entries.get(marketId)?.values() ?? [])].flat();
  }
}

function amountOf(amount: string | Decimal): Fixed {
  return fixed(new Decimal(amount).toFixed(18, Decimal.ROUND_DOWN));
}

function ordersOf(
  side: Side,
  quotes: Extract<Decision, { type: "set" }>["bids"],
): readonly WantedOrder[] {
  return quotes.flatMap(({ price, size, place = true }) => {
    const quantity = amountOf(size);
    return quantity > 0n ? [{ side, price, size: quantity, isPlaced: place }] : [];
  });
}
