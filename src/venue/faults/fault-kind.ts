import type { z } from "zod";
import type { Prng } from "../../base/prng.ts";
import type { Layer1Outcome } from "../../exchange/withdrawals.ts";
import type { ServerResponse } from "../../ports/server.ts";

/** A request that a fault struck. */
export interface StruckRequest {
  readonly random: Prng;
  /** Serves the request through the remaining faults; may be called more than once. */
  serve(): Promise<ServerResponse>;
  wait(ms: number): Promise<void>;
  /** Resolves when another request has been served, or after `limitMs`. */
  nextServed(limitMs: number): Promise<void>;
}

/** A message to a stream client that a fault struck. */
export interface StruckMessage {
  readonly random: Prng;
  /** Sends the message through the remaining faults; may be called more than once. */
  send(): void;
  /** Sends the message after a delay; later messages of this connection wait for it. */
  sendLater(delayMs: number): void;
  /** Sends the message right after the connection's next message, or after `limitMs`. */
  sendAfterNext(limitMs: number): void;
  close(code: number, reason: string): void;
  /** Stops all traffic in both directions without closing the connection. */
  freeze(): void;
}

/**
 * One kind of fault. The functions it has determine what it can strike: requests, stream messages, the venue's clock, layer 1.
 * `options` are the keys of its lines besides the common ones.
 */
export interface FaultKind<Options extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  /** One sentence for the documentation. */
  readonly summary: string;
  readonly options: Options;
  request?(request: StruckRequest, options: OptionsOf<Options>): Promise<ServerResponse>;
  message?(message: StruckMessage, options: OptionsOf<Options>): void;
  /** How far the venue's clock runs ahead. */
  skewMs?(options: OptionsOf<Options>): number;
  layer1?(options: OptionsOf<Options>): Layer1Outcome;
}

type OptionsOf<Options extends z.ZodRawShape> = z.output<z.ZodObject<Options>>;

/** Gives a kind its types. */
export function defineFault<const Name extends string, Options extends z.ZodRawShape>(
  kind: FaultKind<Options> & { readonly name: Name },
): FaultKind<Options> & { readonly name: Name } {
  return kind;
}

/** No response: the connection breaks. */
export const cutConnection: ServerResponse = { status: 503, body: "", cut: true };
