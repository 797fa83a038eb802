import { TouchlineError, TransportError } from "../base/error.ts";
import { nearest } from "../config/nearest.ts";
import type { CommandOutcome } from "../domain/command.ts";
import { type MarketId, marketId } from "../domain/ids.ts";
import type { Http } from "../ports/http.ts";
import type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
import { endpoints } from "../spec/endpoints.ts";
import { type Answer, decodeAnswer, isDefiniteNo } from "../spec/envelope.ts";
import { commandRoutes, type SignableCommand } from "../spec/sign-command.ts";
import { usageError } from "./exit-code.ts";
import { type Surroundings, type VenueAddress, venueAddress } from "./venue-options.ts";

const TIMEOUT_MS = 10_000;
const NOT_FOUND = 404;

/** A venue as one-off commands need it. */
export interface Venue {
  readonly address: VenueAddress;
  /** The answer to a question; throws a sentence when there is none. */
  ask<E extends Endpoint>(endpoint: E, query: QueryOf<E>): Promise<ResultOf<E>>;
  /** As `ask`, but undefined when the venue does not know what is asked about. */
  find<E extends Endpoint>(endpoint: E, query: QueryOf<E>): Promise<ResultOf<E> | undefined>;
  /** Sends a signed transaction once. */
  send(type: SignableCommand["type"], bytesHex: string): Promise<CommandOutcome>;
}

interface Asking extends Surroundings {
  readonly options: {
    readonly venue: string | undefined;
    readonly ws: string | undefined;
    readonly chainId: number | undefined;
    readonly config: string | undefined;
  };
}

/** Connects to the venue that the options name, for the time of `run`. */
export async function withVenue<Value>(
  asking: Asking,
  run: (venue: Venue) => Promise<Value>,
): Promise<Value> {
  const address = await venueAddress(asking.options, asking);
  const { createHttp } = await import("../platform/http.ts");
  const http = createHttp();
  try {
    return await run(venueOver(http, address));
  } finally {
    await http.close();
  }
}

function venueOver(http: Http, address: VenueAddress): Venue {
  const call = async <E extends Endpoint>(
    endpoint: E,
    query: QueryOf<E>,
    body?: string,
  ): Promise<Answer<ResultOf<E>>> => {
    const response = await http.request({
      method: endpoint.method,
      url: address.rest + pathOf(endpoint, query),
      timeoutMs: TIMEOUT_MS,
      ...(body === undefined ? {} : { body, headers: { "content-type": "application/json" } }),
    });
    return decodeAnswer(endpoint, response.status, new TextDecoder().decode(response.body));
  };
  const answerTo = async <E extends Endpoint>(
    endpoint: E,
    query: QueryOf<E>,
  ): Promise<Exclude<Answer<ResultOf<E>>, { readonly type: "broken" }>> => {
    let answer: Answer<ResultOf<E>>;
    try {
      answer = await call(endpoint, query);
    } catch (error) {
      throw unreachable(error, address.rest);
    }
    if (answer.type !== "broken") return answer;
    throw new TouchlineError(
      "VENUE_BROKEN_ANSWER",
      `The venue's answer cannot be read: ${answer.why}.`,
      { hint: `Is ${address.rest} the REST address of a venue?` },
    );
  };
  return {
    address,
    async ask(endpoint, query) {
      const answer = await answerTo(endpoint, query);
      if (answer.type === "ok") return answer.result;
      throw refused(answer.code, answer.errMsg);
    },
    async find(endpoint, query) {
      const answer = await answerTo(endpoint, query);
      if (answer.type === "ok") return answer.result;
      if (answer.code === NOT_FOUND) return undefined;
      throw refused(answer.code, answer.errMsg);
    },
    async send(type, bytesHex) {
      const endpoint = endpoints[commandRoutes[type].endpoint];
      try {
        const answer = await call(endpoint, {}, JSON.stringify({ tx: bytesHex }));
        if (answer.type === "ok") return { type: "accepted" };
        if (answer.type === "broken") return { type: "unknown", message: answer.why };
        const { code, errMsg } = answer;
        return isDefiniteNo(code)
          ? { type: "refused", code, message: errMsg, retryAfterMs: undefined }
          : { type: "unknown", message: errMsg };
      } catch (error) {
        if (!(error instanceof TransportError)) throw error;
        return { type: error.outcome, message: error.message };
      }
    },
  };
}

function refused(code: number, errMsg: string): TouchlineError {
  return new TouchlineError("VENUE_REFUSED", `The venue refused: ${errMsg} (${code}).`, {
    context: { code },
  });
}

function unreachable(error: unknown, rest: string): unknown {
  if (!(error instanceof TransportError)) return error;
  return new TouchlineError("VENUE_UNREACHABLE", `${rest} does not answer: ${error.message}`, {
    hint: "Start a paper venue with `touchline venue`, or name one with --venue or --config.",
    cause: error,
  });
}

/** The path with its parameters filled in, and the rest of the query after it. */
function pathOf<E extends Endpoint>(endpoint: E, query: QueryOf<E>): string {
  const search = new URLSearchParams();
  let path = endpoint.path;
  const fields: Readonly<Record<string, unknown>> =
    typeof query === "object" && query !== null ? { ...query } : {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const place = `{${name}}`;
    if (path.includes(place)) path = path.replace(place, encodeURIComponent(String(value)));
    else search.set(name, String(value));
  }
  const text = search.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** The venue's clock, milliseconds. */
export async function venueNowMs(venue: Venue): Promise<number> {
  return (await venue.ask(endpoints.time, {})).serverTime;
}

/** A market's id from its id or its ticker, `ETH/USDT` in any case. */
export async function marketIdOf(venue: Venue, written: string): Promise<MarketId> {
  if (/^[^_\s/]+_[^_\s/]+$/.test(written)) return written as MarketId;
  const markets = await venue.ask(endpoints.market, {});
  const wanted = written.toLowerCase();
  const found = markets.find((market) => market.ticker.toLowerCase() === wanted);
  if (found !== undefined) return marketId(found.baseTokenId, found.quoteTokenId);
  const guess = nearest(
    written,
    markets.map((market) => market.ticker),
  );
  throw usageError(
    `There is no market ${written}${guess === undefined ? "" : `, did you mean ${guess}`}.`,
    "See: touchline market list",
  );
}
