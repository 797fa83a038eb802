import type { Decimal } from "../domain/decimal.ts";
import {
  absFixed,
  addFixed,
  type Fixed,
  fixedText,
  fixedToNumber,
  maxFixed,
  minFixed,
  subFixed,
  ZERO,
} from "../domain/fixed.ts";
import { type MarketId, type TokenId, tokensOf } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Fill } from "../domain/order.ts";
import { rulesOf } from "../domain/rules-of.ts";
import { opposite, type Side } from "../domain/side.ts";
import type { Note } from "../kernel/note.ts";
import { Histogram } from "./histogram.ts";

/** A strategy with several markets, all of them together. */
export interface NetFigures {
  /** Total PnL of the run in the reporting currency, after fees; null without a mid that it needs. */
  readonly pnl: string | null;
  readonly exposure: readonly NetExposure[];
  readonly hedges: HedgeFigures;
}

/** The net base position over the markets with this base token, over all runs. */
export interface NetExposure {
  readonly token: string;
  readonly position: string;
  /** Its absolute value times how long it was held, base · seconds. */
  readonly baseSeconds: number;
  /** The largest absolute value, base token. */
  readonly max: string;
}

/**
 * Fills that fills of the other side in other markets with the same base token took back, first in first out. A fill counts once, when
 * what it brought after its fee is taken back, or all but less than the smallest order.
 */
export interface HedgeFigures {
  readonly count: number;
  /** From the fill to the end of its hedge, by the venue's clock; null without one. */
  readonly delayMs: { readonly p50: number; readonly p90: number; readonly max: number } | null;
  /** Price of the hedge against the mid of its market at the fill, weighted by quantity; positive when it cost more. Null without a mid. */
  readonly slippageBps: number | null;
}

/** What moved a position and waits to be taken back. */
interface Open {
  readonly side: Side;
  readonly marketId: MarketId;
  /** Undefined where the position of an earlier run or a booking by hand moved it: nothing is measured of its hedge. */
  readonly fill: Fill | undefined;
  readonly mids: Readonly<Record<string, number>>;
  left: Fixed;
  /** A part was taken back by something that is no hedge, so that its time does not count. */
  isReduced: boolean;
}

/** Fills that wait for their hedge; the oldest is given up beyond. */
const MAX_OPEN = 10_000;

type FillNote = Extract<Note, { type: "fill" }>;

/** Follows the net position of one strategy over its markets, and how its fills are hedged. */
export class NetFold {
  readonly name: string;
  readonly #markets: ReadonlyMap<MarketId, Market>;
  readonly #tokens = new Map<TokenId, NetPosition>();
  readonly #held = new Map<MarketId, Fixed>();
  #open: Open[] = [];
  readonly #delays = new Histogram();
  #slippage = { sum: 0, quantity: 0 };

  constructor(name: string, markets: readonly Market[]) {
    this.name = name;
    this.#markets = new Map(markets.map((market) => [market.marketId, market]));
    for (const { baseToken } of markets) this.#tokens.set(baseToken, new NetPosition());
  }

  /** Positions as an earlier run left them, all at once, or one after a booking by hand. */
  positions(positions: readonly (readonly [MarketId, Fixed])[], nowMs: number): void {
    for (const [marketId, base] of positions) {
      if (!this.#markets.has(marketId)) continue;
      const moved = subFixed(base, this.#held.get(marketId) ?? ZERO);
      this.#held.set(marketId, base);
      if (moved === ZERO) continue;
      const [side, left] = [moved < ZERO ? ("SELL" as const) : ("BUY" as const), absFixed(moved)];
      this.#pair({ side, marketId, fill: undefined, mids: {}, left, isReduced: true }, ZERO);
    }
    this.#sum(nowMs);
  }

  fill({ fill, position, mids = {} }: FillNote, nowMs: number): void {
    const { side, marketId } = fill;
    const market = this.#markets.get(marketId);
    if (market === undefined) return;
    this.#held.set(marketId, position);
    this.#sum(nowMs);
    const left = baseMoved(fill, market.baseToken);
    // What is below the smallest order cannot be traded back alone.
    const least = rulesOf(market).minSizeAt(fixedToNumber(fill.price));
    this.#pair({ side, marketId, fill, mids, left, isReduced: false }, least);
  }

  #sum(nowMs: number): void {
    for (const [token, position] of this.#tokens) {
      let sum: Fixed = ZERO;
      for (const [held, amount] of this.#held) {
        if (tokensOf(held).base === token) sum = addFixed(sum, amount);
      }
      position.set(sum, nowMs);
    }
  }

  /** Takes back what is open on the other side, first in first out, and waits with the rest. */
  #pair(next: Open, least: Fixed): void {
    const { base } = tokensOf(next.marketId);
    const moved = next.left;
    for (const open of this.#open) {
      if (next.left === ZERO) break;
      if (open.side !== opposite(next.side) || tokensOf(open.marketId).base !== base) continue;
      const taken = minFixed(next.left, open.left);
      next.left = subFixed(next.left, taken);
      open.left = subFixed(open.left, taken);
      if (open.left < least) open.left = ZERO;
      this.#takeBack(open, next, taken);
    }
    this.#open = this.#open.filter((open) => open.left !== ZERO);
    if (next.left !== ZERO && (next.left === moved || next.left >= least)) this.#open.push(next);
    if (this.#open.length > MAX_OPEN) this.#open.shift();
  }

  #takeBack(open: Open, { marketId, fill: hedge }: Open, quantity: Fixed): void {
    const { fill, mids } = open;
    if (marketId === open.marketId || fill === undefined || hedge === undefined) {
      open.isReduced = true;
      return;
    }
    const mid = mids[marketId];
    if (mid !== undefined) {
      const sign = hedge.side === "BUY" ? 1 : -1;
      const weight = fixedToNumber(quantity);
      this.#slippage.sum += weight * sign * (fixedToNumber(hedge.price) / mid - 1) * 10_000;
      this.#slippage.quantity += weight;
    }
    if (open.left === ZERO && !open.isReduced) {
      this.#delays.add(Math.max(0, hedge.timeMs - fill.timeMs));
    }
  }

  /** `pnl`: its total in the reporting currency. */
  figures(nowMs: number, pnl: Decimal | undefined): NetFigures {
    const { sum, quantity } = this.#slippage;
    return {
      pnl: pnl === undefined ? null : pnl.toDecimalPlaces(18).toFixed(),
      exposure: [...this.#tokens].map(([token, position]) => ({
        token,
        ...position.figures(nowMs),
      })),
      hedges: {
        count: this.#delays.count,
        delayMs:
          this.#delays.count === 0
            ? null
            : {
                p50: Math.round(this.#delays.percentile(0.5) ?? 0),
                p90: Math.round(this.#delays.percentile(0.9) ?? 0),
                max: this.#delays.max,
              },
        slippageBps: quantity === 0 ? null : sum / quantity,
      },
    };
  }
}

/** The base token that a fill brought or took, its fee included. */
function baseMoved({ side, quantity, fee, feeToken }: Fill, base: TokenId): Fixed {
  if (feeToken !== base) return quantity;
  return side === "BUY" ? subFixed(quantity, fee) : addFixed(quantity, fee);
}

/** A net position and how long it was held. */
class NetPosition {
  #base: Fixed = ZERO;
  #max: Fixed = ZERO;
  #sinceMs = 0;
  #baseSeconds = 0;

  set(base: Fixed, nowMs: number): void {
    this.#baseSeconds = this.#heldTo(nowMs);
    this.#sinceMs = nowMs;
    this.#base = base;
    this.#max = maxFixed(this.#max, absFixed(base));
  }

  figures(nowMs: number): Omit<NetExposure, "token"> {
    return {
      position: fixedText(this.#base),
      baseSeconds: this.#heldTo(nowMs),
      max: fixedText(this.#max),
    };
  }

  #heldTo(nowMs: number): number {
    if (this.#base === ZERO) return this.#baseSeconds;
    const seconds = Math.max(0, nowMs - this.#sinceMs) / 1000;
    return this.#baseSeconds + fixedToNumber(absFixed(this.#base)) * seconds;
  }
}
