import type { z } from "zod";
import type { Prng } from "../../base/prng.ts";
import type { Layer1Outcome } from "../../exchange/withdrawals.ts";
import type { ServerResponse } from "../../ports/server.ts";

/** A request that a fault struck. */
export interface StruckRequest {
  readonly random: Prng;
  /** Does what the request asks for, in the way of the faults after this one; may be called again. */
  serve(): Promise<ServerResponse>;
  wait(ms: number): Promise<void>;
  /** Resolves when another request has been served, at the latest after so long. */
  nextServed(limitMs: number): Promise<void>;
}

/** A message to a stream client that a fault struck. */
export interface StruckMessage {
  readonly random: Prng;
  /** Sends it in the way of the faults after this one; may be called again. */
  send(): void;
  /** Sends it after so long; what follows on this connection waits for it. */
  sendLater(delayMs: number): void;
  /** Sends it right after the connection's next message, at the latest after so long. */
  sendAfterNext(limitMs: number): void;
  close(code: number, reason: string): void;
  /** From now on nothing goes in or out, and nobody is told. */
  freeze(): void;
}

/**
 * One kind of fault. Which of the functions it has says what it can strike: requests, messages of streams, the venue's clock,
 * layer 1. `options` are keys of its lines besides the common ones.
 */
export interface FaultKind<Options extends z.ZodRawShape = z.ZodRawShape> {
  readonly name: string;
  /** One sentence for the documentation. */
  readonly summary: string;
  readonly options: Options;
  request?(request: StruckRequest, options: OptionsOf<Options>): Promise<ServerResponse>;
  message?(message: StruckMessage, options: OptionsOf<Options>): void;
  /** How far the venue's clock is ahead. */
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

/** No answer: the connection breaks. */
export const cutConnection: ServerResponse = { status: 503, body: "", cut: true };
