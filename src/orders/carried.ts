import type { MarketId, TokenId } from "../domain/ids.ts";
import type { RiskStep } from "../domain/risk-step.ts";
import type { SavedPosition } from "./position.ts";

/** The UTC day of a total PnL: days since 1970, and the total with which it began in quote token, as decimal text. */
export interface CarriedDay {
  readonly day: number;
  readonly dayStart: string;
}

/**
 * A strategy's position in a market over all runs, with the peak and the maximum drawdown of its total PnL in quote token. Without a day
 * before the first valuation, and after a person changed the position: the next valuation begins one.
 */
export interface CarriedPosition extends SavedPosition, Partial<CarriedDay> {
  readonly type: "position";
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly peak: string;
  readonly maxDrawdown: string;
}

/** A strategy's own state in a market, as its `state.save` gave it. */
export interface CarriedState {
  readonly type: "state";
  readonly strategy: string;
  readonly marketId: MarketId;
  /** Name of the definition that saved it: no other plugin receives it. */
  readonly definition: string;
  readonly version: number;
  /** JSON. */
  readonly data: string;
}

/** A step of the risk ladder that one trigger holds. */
export interface CarriedRung {
  readonly trigger: string;
  readonly step: RiskStep;
  readonly sinceMs: number;
  /** The value with which it was reached, decimal text; left out when it is not known. */
  readonly value?: string;
}

/** From where the risk ladder counts losses: total PnL in quote token as decimal text. */
export interface CarriedBaseline extends CarriedDay {
  /** The total is of these markets; over others the count starts anew. */
  readonly markets: readonly MarketId[];
  /** Of the bot's total; in another one the count starts anew. */
  readonly currency?: TokenId;
  readonly peak: string;
}

/** The risk ladder of one strategy, or of the whole bot when `strategy` is left out. */
export interface CarriedRisk {
  readonly type: "risk";
  readonly strategy?: string;
  readonly rungs: readonly CarriedRung[];
  /** Left out before the first valuation, and after a person changed the position: the next valuation is the start. */
  readonly baseline?: CarriedBaseline;
}

/** Where a derived limit holds: order limits in a market, `dayLoss` for a strategy, or for the whole bot when that is left out. */
export type LimitPlace =
  | { readonly limit: "maxPosition" | "maxOrderNotional"; readonly marketId: MarketId }
  | { readonly limit: "dayLoss"; readonly strategy?: string };

/** A limit that the configuration leaves unset, as it was derived from balances and mids. */
export type CarriedLimit = LimitPlace & {
  readonly type: "limit";
  /** Of the amounts that it was derived from: with another one it is derived anew. */
  readonly quoteToken: TokenId;
  readonly value: string;
};

/** A market whose quotes are pulled until an operator resumes, since the venue is not believed there. */
export interface CarriedLeftMarket {
  readonly type: "left";
  readonly marketId: MarketId;
  /** Left out once an operator has resumed. */
  readonly reason?: string;
}

/** A name of a take that was sent: no other order is sent under it. With what its fills exchanged, decimal text. */
export interface CarriedTake {
  readonly name: string;
  readonly base: string;
  readonly quote: string;
  readonly fees: string;
}

/** All used names of a strategy's takes in a market. */
interface CarriedTakes {
  readonly type: "takes";
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly takes: readonly CarriedTake[];
}

/** Digests of the exports of which the strategy's position in a market has a part, until a person resets it: none is taken twice. */
export interface CarriedImports {
  readonly type: "imports";
  readonly strategy: string;
  readonly marketId: MarketId;
  readonly digests: readonly string[];
}

/** Ids of the newest trades that were booked by hand: none is booked twice. */
interface CarriedBooked {
  readonly type: "booked";
  readonly tradeIds: readonly string[];
}

/** What a run leaves to the next one besides its orders, as plain data; each item replaces the earlier one with its key. */
export type CarriedItem =
  | CarriedPosition
  | CarriedState
  | CarriedRisk
  | CarriedLimit
  | CarriedLeftMarket
  | CarriedTakes
  | CarriedImports
  | CarriedBooked
  | CarriedPause;

/** What an operator told one strategy or the bot, until a resume. `haltReason`: why a strategy is halted. */
export interface CarriedPause {
  readonly type: "pause";
  readonly strategy?: string;
  readonly isPaused: boolean;
  readonly isReduceOnly?: true;
  readonly haltReason?: string;
}

export function carriedKey(item: CarriedItem): string {
  if (item.type === "limit") return `limit ${placeText(item)}`;
  if (item.type === "pause" || item.type === "risk") {
    return item.strategy === undefined ? item.type : `${item.type} ${item.strategy}`;
  }
  if (item.type === "booked") return item.type;
  if (item.type === "left") return `left ${item.marketId}`;
  return `${item.type} ${item.strategy} ${item.marketId}`;
}

const MAX_BOOKED = 1_000;

/** The ids with that of a trade that is booked now; nothing for an empty id, which names none. */
export function bookedWith(tradeIds: readonly string[], tradeId: string): readonly CarriedBooked[] {
  if (tradeId === "") return [];
  return [{ type: "booked", tradeIds: [...tradeIds, tradeId].slice(-MAX_BOOKED) }];
}

/** Names a derived limit and its place, such as `maxPosition 1_2`. */
export function placeText(place: LimitPlace): string {
  const of = place.limit === "dayLoss" ? place.strategy : place.marketId;
  return of === undefined ? place.limit : `${place.limit} ${of}`;
}
