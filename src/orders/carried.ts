import type { MarketId } from "../domain/ids.ts";
import type { SavedPosition } from "./position.ts";

/** A strategy's position in a market over all runs, with the peak and the maximum drawdown of its total PnL in quote token. */
export interface CarriedPosition extends SavedPosition {
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

/** What a run leaves to the next one besides its orders, as plain data; each item replaces the earlier one with its key. */
export type CarriedItem =
  | CarriedPosition
  | CarriedState
  /** An operator's pause, of one strategy or of all: nothing is quoted until the operator resumes. */
  | { readonly type: "pause"; readonly strategy?: string; readonly isPaused: boolean };

export function carriedKey(item: CarriedItem): string {
  if (item.type === "pause")
    return item.strategy === undefined ? "pause" : `pause ${item.strategy}`;
  return `${item.type} ${item.strategy} ${item.marketId}`;
}
