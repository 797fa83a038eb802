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
import { opposite } from "../domain/side.ts";
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

interface OpenFill {
  readonly fill: Fill;
  readonly mids: Readonly<Record<string, number>>;
  left: Fixed;
  /** A fill in its own market took a part back, so that it is no hedge whose time counts. */
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
  #open: OpenFill[] = [];
  readonly #delays = new Histogram();
  #slippage = { sum: 0, quantity: 0 };

  constructor(name: string, markets: readonly Market[]) {
    this.name = name;
    this.#markets = new Map(markets.map((market) => [market.marketId, market]));
    for (const { baseToken } of markets) this.#tokens.set(baseToken, new NetPosition());
  }

  /** A market's position as an earlier run left it, or after a fill. */
  position(marketId: MarketId, base: Fixed, nowMs: number): void {
    if (!this.#markets.has(marketId)) return;
    this.#held.set(marketId, base);
    const { base: token } = tokensOf(marketId);
    let sum: Fixed = ZERO;
    for (const [held, amount] of this.#held) {
      if (tokensOf(held).base === token) sum = addFixed(sum, amount);
    }
    this.#tokens.get(token)?.set(sum, nowMs);
  }

  fill({ fill, position, mids = {} }: FillNote, nowMs: number): void {
    const market = this.#markets.get(fill.marketId);
    if (market === undefined) return;
    this.position(fill.marketId, position, nowMs);
    const { base } = tokensOf(fill.marketId);
    const moved = baseMoved(fill, base);
    // What is below the smallest order cannot be traded back alone.
    const least = rulesOf(market).minSizeAt(fixedToNumber(fill.price));
    let left = moved;
    for (const open of this.#open) {
      if (left === ZERO) break;
      const { side, marketId } = open.fill;
      if (side !== opposite(fill.side) || tokensOf(marketId).base !== base) continue;
      const taken = minFixed(left, open.left);
      left = subFixed(left, taken);
      open.left = subFixed(open.left, taken);
      if (open.left < least) open.left = ZERO;
      this.#takeBack(open, fill, taken);
    }
    this.#open = this.#open.filter((open) => open.left !== ZERO);
    if (left === moved || left >= least) this.#open.push({ fill, mids, left, isReduced: false });
    if (this.#open.length > MAX_OPEN) this.#open.shift();
  }

  #takeBack(open: OpenFill, hedge: Fill, quantity: Fixed): void {
    const { fill, mids } = open;
    if (hedge.marketId === fill.marketId) {
      open.isReduced = true;
      return;
    }
    const mid = mids[hedge.marketId];
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
