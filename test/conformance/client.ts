import { expect } from "vitest";
import type { RunningVenue } from "../../src/venue/start-venue.ts";
import type { Signed, Wallet } from "./wallet.ts";

/** A plain client of a venue, the same in memory and over sockets. */

export type Json = Readonly<Record<string, unknown>>;

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly body: Json;
  /** The envelope's `result`. */
  readonly result: unknown;
}

/** A reply to a signed transaction. */
export interface Sent extends Reply {
  readonly hash: string;
}

/** One WebSocket. */
export interface Stream {
  /** Sends text unchanged, and everything else as JSON. */
  send(message: unknown): void;
  /** Sends a request and returns its reply. */
  call(message: unknown): Promise<Json>;
  subscribe(...channels: string[]): Promise<Json>;
  /** All payloads of a channel so far, oldest first. */
  pushes(channel: string): Promise<Json[]>;
  /** All frames so far, oldest first, without the replies to this method's own requests. */
  frames(): Promise<Json[]>;
  /** Number of pings that the venue has sent so far. */
  pings(): Promise<number>;
  pong(): void;
  /** Waits until the venue ends the connection and returns how. */
  ended(): Promise<number>;
  isOpen(): boolean;
}

export interface VenueClient {
  /** Has 100 of token 1, 250000 of token 2 and 10 of token 3. */
  readonly alice: Wallet;
  /** The same. */
  readonly bob: Wallet;
  /** An address that the venue has not seen yet. */
  readonly carol: Wallet;
  /** A key to trade with. */
  readonly session: Wallet;
  /** For checks that no client can make. */
  readonly venue: RunningVenue;
  nowMs(): number;
  nowSec(): number;
  /** Lets the venue's time pass. */
  advance(ms: number): void;
  request(method: string, target: string, body?: string): Promise<Reply>;
  get(target: string): Promise<Reply>;
  post(path: string, body: unknown): Promise<Reply>;
  send(signed: Signed): Promise<Sent>;
  connect(): Promise<Stream>;
}

/** The result of a reply; fails unless it is a success. */
export function resultOf(reply: Reply): unknown {
  expect({ status: reply.status, code: reply.body["code"], errMsg: reply.body["errMsg"] }).toEqual({
    status: 200,
    code: 200,
    errMsg: "OK",
  });
  return reply.result;
}

export function record(value: unknown): Json {
  expect(value).toBeTypeOf("object");
  expect(value).not.toBeNull();
  return value as Json;
}

export function list(value: unknown): readonly Json[] {
  expect(Array.isArray(value)).toBe(true);
  return value as readonly Json[];
}

/** The `[price, quantity]` pairs of one side of a book. */
export function pairs(value: unknown): readonly (readonly string[])[] {
  expect(Array.isArray(value)).toBe(true);
  return value as readonly (readonly string[])[];
}

/** Expects a refusal with this code: envelope and HTTP status agree, `result` is null, and `errMsg` is a sentence (D11). */
export function expectRefused(reply: Reply, code: number): void {
  expect({ status: reply.status, ...reply.body }).toEqual({
    status: code,
    code,
    errMsg: expect.stringMatching(/\S/),
    result: null,
  });
}

/** Expects an accepted transaction, whose result is its hash. */
export function expectTaken(sent: Sent): void {
  expect({ status: sent.status, ...sent.body }).toEqual({
    status: 200,
    code: 200,
    errMsg: "OK",
    result: sent.hash,
  });
}

/** Sends a transaction, expects it to be accepted, and returns its hash. */
export async function take(client: VenueClient, signed: Signed): Promise<string> {
  const sent = await client.send(signed);
  expectTaken(sent);
  return sent.hash;
}

/** One order by its id. */
export async function orderOf(client: VenueClient, orderId: string): Promise<Json> {
  return record(resultOf(await client.get(`/api/v1/order/${orderId}`)));
}

/** `[unlocked, locked]` of a token. */
export async function money(
  client: VenueClient,
  owner: Wallet,
  token: string,
): Promise<readonly [string, string]> {
  const reply = await client.get(`/api/v1/wallet/balance?address=${owner.address}`);
  const lines = list(record(resultOf(reply))["balances"]);
  const line = lines.find(({ tokenId }) => tokenId === token);
  if (line === undefined) return ["0", "0"];
  return [String(line["unlocked"]), String(line["locked"])];
}
