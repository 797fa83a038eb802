import { TransportError } from "../base/error.ts";
import { errorText } from "../base/error-text.ts";
import type { CommandOutcome } from "../domain/command.ts";
import type { OrderId } from "../domain/ids.ts";
import type { Endpoint, QueryOf, ResultOf } from "../spec/endpoint.ts";
import { endpoints } from "../spec/endpoints.ts";
import { commandRoutes, type SignableCommand, type SignedCommand } from "../spec/sign-command.ts";
import type { ReadTimeout } from "./read-timeout.ts";
import { baseAddress, requestVenue, type VenuePlace } from "./request.ts";
import { isUnreadable429, retryAfterOfError, VenueError } from "./venue-error.ts";

export interface CallOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Time-out of commands, and of reads without one of their own or a learned one. */
const TIMEOUT_MS = 5_000;

/**
 * Typed calls to the venue, derived from the endpoint table. A readable refusal is a VenueError. A failure that leaves the
 * outcome open (5xx, unreadable response, time-out) is a TransportError `unknown`; if no byte was sent, it is `not-sent`.
 */
export class VenueClient {
  readonly #place: VenuePlace;
  readonly #readTimeout: ReadTimeout | undefined;

  /** `readTimeout`: learns how long reads wait for their responses, for a client that runs for long. */
  constructor({ http, rest }: VenuePlace, readTimeout?: ReadTimeout) {
    this.#place = { http, rest: baseAddress(rest) };
    this.#readTimeout = readTimeout;
  }

  /** Queries a GET endpoint. Rejects with VenueError or TransportError. */
  async call<E extends Endpoint>(
    endpoint: E,
    query: QueryOf<E>,
    options: CallOptions = {},
  ): Promise<ResultOf<E>> {
    const { timeoutMs, signal } = options;
    const send = (limitMs: number): ReturnType<typeof requestVenue<E>> =>
      requestVenue(this.#place, endpoint, { query: query as object, timeoutMs: limitMs, signal });
    const { result } = await (timeoutMs === undefined && this.#readTimeout !== undefined
      ? this.#readTimeout.read(send)
      : send(timeoutMs ?? TIMEOUT_MS));
    return result;
  }

  /**
   * Sends signed bytes to the command's path; always resolves. Calls `handedOver` once the HTTP client has the request.
   * A response with a different hash proves nothing about our order, so its outcome is `unknown`.
   */
  async submit(
    type: SignableCommand["type"],
    signed: SignedCommand,
    handedOver?: () => void,
  ): Promise<CommandOutcome> {
    const endpoint: Endpoint = endpoints[commandRoutes[type].endpoint];
    try {
      const { result: txHash } = await requestVenue(this.#place, endpoint, {
        body: `{"tx":"${signed.bytesHex}"}`,
        timeoutMs: TIMEOUT_MS,
        handedOver,
      });
      // The venue's response to a session command has no hash (§1.2).
      if (endpoint.envelope === "bare") return { type: "accepted" };
      if (typeof txHash === "string" && (txHash.toLowerCase() as OrderId) === signed.txHash) {
        return { type: "accepted" };
      }
      return { type: "unknown", message: "the venue responded with another transaction's hash" };
    } catch (thrown) {
      return outcomeOf(thrown);
    }
  }
}

function outcomeOf(thrown: unknown): CommandOutcome {
  if (thrown instanceof VenueError) {
    const { reason, retryAfterMs, context } = thrown;
    const message = typeof context["errMsg"] === "string" ? context["errMsg"] : thrown.message;
    return { type: "refused", reason, message, retryAfterMs };
  }
  const message = errorText(thrown);
  // Any other error is a bug that may have come after the bytes were sent, so the outcome is unknown.
  const isNotSent = thrown instanceof TransportError && thrown.outcome === "not-sent";
  if (isUnreadable429(thrown)) {
    const retryAfterMs = retryAfterOfError(thrown);
    return { type: "unknown", message, isRateLimited: true, retryAfterMs };
  }
  return { type: isNotSent ? "not-sent" : "unknown", message };
}
