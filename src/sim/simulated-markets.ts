import { marketId } from "../domain/ids.ts";
import { OWN_MARKET } from "../domain/market-roles.ts";

export const simulatedMarket = marketId("1", "2");
/** Shares its quote token with the first. */
export const SECOND_MARKET = marketId("3", "2");
/** The names of a paired strategy for its markets. */
export const pairedRoles = [OWN_MARKET, "other"] as const;
/** Name of the second strategy of the first market. */
export const MEETER = "meeter";
