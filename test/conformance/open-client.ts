import type { ServerFactory } from "../../src/ports/server.ts";
import { venueSchema, type VenueDocument } from "../../src/venue/config.ts";
import { startVenue, type RunningVenue } from "../../src/venue/start-venue.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { START_MS, silentLog } from "../support/venue.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import type { Json, Reply, Stream, VenueClient } from "./client.ts";
import { type Signed, Wallet } from "./wallet.ts";

const crypto = await loadCrypto();

/** A transport: how a plain client reaches a venue. */
export interface Transport {
  readonly server: ServerFactory;
  /** `target` is the path with its query. */
  request(
    venue: RunningVenue,
    method: string,
    target: string,
    body: string,
  ): Promise<Omit<Reply, "body" | "result">>;
  connect(venue: RunningVenue): Promise<Stream>;
}

/** Two markets with trade, and one that is not listed. */
export const usualVenue: VenueDocument = {
  tokens: [
    { tokenId: "1", symbol: "ETH", decimals: 18 },
    { tokenId: "2", symbol: "USDT", decimals: 6 },
    { tokenId: "3", symbol: "BTC", decimals: 8 },
  ],
  markets: [
    { base: "1", quote: "2" },
    { base: "3", quote: "2" },
    { base: "1", quote: "3", listed: false },
  ],
};

export interface OpenClient extends VenueClient {
  close(): Promise<void>;
}

/** Starts a venue whose clock moves only by `advance`, and a client of it. */
export async function openClient(
  transport: Transport,
  document: VenueDocument = {},
): Promise<OpenClient> {
  const clock = new VirtualClock(START_MS);
  const nowMs = (): number => clock.nowMs();
  const [alice, bob, carol, session] = [1, 2, 3, 4].map((byte) => new Wallet(byte, nowMs)) as [
    Wallet,
    Wallet,
    Wallet,
    Wallet,
  ];
  const funds = { "1": "100", "2": "250000", "3": "10" };
  const venue = await startVenue({
    config: venueSchema.parse({
      ...usualVenue,
      accounts: { [alice.address]: funds, [bob.address]: funds },
      ...document,
    }),
    listen: { host: "127.0.0.1", port: 0 },
    ports: {
      server: transport.server,
      clock,
      timer: clock,
      crypto,
      log: silentLog,
    },
  });
  const request = async (method: string, target: string, body = ""): Promise<Reply> => {
    const reply = await transport.request(venue, method, target, body);
    let parsed: Json = {};
    if (reply.text !== "") parsed = JSON.parse(reply.text) as Json;
    return { ...reply, body: parsed, result: parsed["result"] };
  };
  const post = (path: string, body: unknown): Promise<Reply> =>
    request("POST", path, typeof body === "string" ? body : JSON.stringify(body));
  return {
    alice,
    bob,
    carol,
    session,
    venue,
    nowMs,
    nowSec: () => Math.floor(nowMs() / 1000),
    advance: (ms) => clock.advance(ms),
    request,
    get: (target) => request("GET", target),
    post,
    send: async (signed: Signed) => ({
      ...(await post(signed.path, signed.body)),
      hash: signed.hash,
    }),
    connect: () => transport.connect(venue),
    close: () => venue.close(),
  };
}
