import type { Input } from "../kernel/input.ts";
import type { MarketData } from "../kernel/quiet.ts";

/** True for public market data. */
export function isMarketData(input: Input): input is MarketData {
  return input.type === "depth" || input.type === "trade";
}

/** True for data that a new connection and REST deliver again, and for prices of sources, of which the newest counts. Stream states and command outcomes are never shed. */
export function isFromStream(input: Input): boolean {
  switch (input.type) {
    case "depth":
    case "depthAudit":
    case "trade":
    case "source":
    case "orderEvent":
    case "accountEvent":
      return true;
    default:
      return false;
  }
}
