import { marketId } from "../domain/ids.ts";

export const simulatedMarket = marketId("1", "2");
/** Shares its quote token with the first. */
export const SECOND_MARKET = marketId("3", "2");
