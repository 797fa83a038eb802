import { suggestion } from "../base/nearest.ts";
import type { MarketId } from "../domain/ids.ts";
import { isMarketId, marketOfTicker } from "../domain/market-of-ticker.ts";
import { marketFrom } from "../gateway/from-wire.ts";
import { VenueClient } from "../gateway/venue-client.ts";
import { clientClock, type VenueClock } from "../gateway/venue-clock.ts";
import { VenueError } from "../gateway/venue-error.ts";
import type { VenueConnection } from "../sdk/call.ts";
import type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
import { endpoints } from "../spec/endpoints.ts";
import { usageError } from "./exit-code.ts";
import { withHint } from "./venue-hint.ts";
import {
  type ConfigInputs,
  type GivenVenue,
  type VenueAddress,
  venueAddress,
} from "./venue-options.ts";

/** A venue for the length of a single command. */
export interface VenueAccess {
  readonly address: VenueAddress;
  /** Connection for functions of the SDK. */
  readonly connection: VenueConnection;
  /** Calls a read endpoint; rejects with an error for people when that fails. */
  call<E extends Endpoint>(endpoint: E, query: QueryOf<E>): Promise<ResultOf<E>>;
  /** As `call`, but undefined when the venue responds that there is no such object. */
  find<E extends Endpoint>(endpoint: E, query: QueryOf<E>): Promise<ResultOf<E> | undefined>;
  readonly clock: VenueClock;
}

interface VenueInvocation extends ConfigInputs {
  readonly options: GivenVenue;
}

/** Connects to the venue given by the options while `run` is running. */
export async function withVenue<Value>(
  invocation: VenueInvocation,
  run: (venue: VenueAccess) => Promise<Value>,
): Promise<Value> {
  const address = await venueAddress(invocation.options, invocation);
  const { createHttp } = await import("../platform/http.ts");
  const { systemClock } = await import("../platform/clock.ts");
  const http = createHttp();
  const client = new VenueClient({ http, rest: address.rest });
  try {
    return await run({
      address,
      connection: { http, rest: address.rest },
      call: (endpoint, query) => client.call(endpoint, query),
      async find(endpoint, query) {
        try {
          return await client.call(endpoint, query);
        } catch (error) {
          if (error instanceof VenueError && error.reason === "notFound") return undefined;
          throw error;
        }
      },
      clock: clientClock(client, systemClock),
    });
  } catch (error) {
    throw withHint(error, address.rest);
  } finally {
    await http.close();
  }
}

/** The venue's time, in Unix ms. */
export function venueNowMs({ clock }: VenueAccess): Promise<number> {
  return clock.nowMs();
}

/** A market's id from its id or its ticker, `ETH/USDT` or `ETH_USDT` in any case. Throws a usage error when there is none. */
export async function marketIdOf(venue: VenueAccess, written: string): Promise<MarketId> {
  if (isMarketId(written)) return written as MarketId;
  const markets = (await venue.call(endpoints.market, {})).map(marketFrom);
  const found = marketOfTicker(markets, written);
  if (found !== undefined) return found;
  const tickers = markets.map((market) => market.ticker);
  throw usageError(
    `There is no market ${written}${suggestion(written, tickers)}.`,
    "See: touchline market list",
  );
}
