import { createHash } from "node:crypto";
import type { Address } from "../../src/domain/ids.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type {
  ServerOptions,
  ServerResponse,
  ServerSocket,
  ServerSocketHandlers,
} from "../../src/ports/server.ts";
import { HeldServer } from "../support/held-server.ts";
import { venueSchema } from "../../src/venue/config.ts";
import { startVenue, type RunningVenue } from "../../src/venue/start-venue.ts";
import { START_MS, silentLog } from "../support/venue.ts";
import { VirtualClock } from "../support/virtual-clock.ts";
import { Violation } from "./target.ts";

/** A paper venue without a network, with checks of its invariants. */

export const crypto = await loadCrypto();
/** Two owners, a session wallet of the first, and a stranger without money. */
export const signers = [1, 2, 3, 4].map((byte) => crypto.signer(new Uint8Array(32).fill(byte)));
export const addresses = signers.map(({ address }) => address);
export const markets = ["1_2", "3_2", "1_3"] as const;
const UNLISTED = "1_3";
export const listedMarkets = markets.filter((market) => market !== UNLISTED);

const utf8 = new TextEncoder();

export class VenueProbe {
  readonly venue: RunningVenue;
  readonly clock: VirtualClock;
  readonly #options: ServerOptions;
  #refusals = 0;

  static async open(): Promise<VenueProbe> {
    const clock = new VirtualClock(START_MS);
    const server = new HeldServer();
    const money = { "1": "100000", "2": "250000000", "3": "10000" };
    const [owner = "", other = ""] = addresses;
    const venue = await startVenue({
      config: venueSchema.parse({
        tokens: ["ETH", "USDT", "BTC"].map((symbol, at) => ({ tokenId: String(at + 1), symbol })),
        markets: markets.map((market) => {
          const [base = "", quote = ""] = market.split("_");
          return { base, quote, listed: market !== UNLISTED };
        }),
        accounts: { [owner]: money, [other]: money },
      }),
      listen: { host: "127.0.0.1", port: 0 },
      ports: {
        server,
        clock,
        timer: clock,
        crypto,
        log: silentLog,
      },
    });
    return new VenueProbe(venue, clock, server.options);
  }

  private constructor(venue: RunningVenue, clock: VirtualClock, options: ServerOptions) {
    this.venue = venue;
    this.clock = clock;
    this.#options = options;
  }

  /** Sends a request. The response must be JSON in the venue's form, with the HTTP status of its code (D11). */
  ask(method: string, target: string, body: string | Uint8Array = ""): ServerResponse {
    const at = target.indexOf("?");
    const path = at < 0 ? target : target.slice(0, at);
    const bytes = typeof body === "string" ? utf8.encode(body) : body;
    const response = this.#options.respond({
      connection: "",
      method,
      path,
      query: new URLSearchParams(at < 0 ? "" : target.slice(at + 1)),
      headers: {},
      body: bytes.length > this.#options.maxBodyBytes ? undefined : bytes,
    });
    if (response instanceof Promise) throw new Error("the venue responds synchronously");
    if (response.status >= 500) throw new Violation("wrong-answer", `HTTP ${response.status}`);
    const parsed = JSON.parse(response.body) as Readonly<Record<string, unknown>>;
    const isCandle = path === "/market/candles";
    const code = isCandle ? (parsed["success"] === true ? 200 : response.status) : parsed["code"];
    if (code !== response.status || (isCandle && code !== 200 && !isCandleFailure(parsed))) {
      throw new Violation("wrong-answer", `HTTP ${response.status} with ${response.body}`);
    }
    return response;
  }

  connect(socket: ServerSocket): ServerSocketHandlers {
    return this.#options.connected(socket);
  }

  get blockNumber(): number {
    return this.venue.exchange.blockNumber;
  }

  /** A hash over the state of the exchange. */
  digest(): string {
    // The exchange's clock moves with every request, which does not count as a change.
    for (const address of addresses) this.venue.exchange.see(address, this.clock.nowMs());
    const hash = createHash("sha256");
    for (const part of this.venue.exchange.save()) {
      hash.update(`${part.name} ${part.size}\n`);
      for (let at = 0; at < part.size; at += 1) {
        hash.update(JSON.stringify(part.row(at), exactText));
      }
    }
    return hash.digest("hex");
  }

  /** Runs an action. If it was refused, checks that the block number, and sometimes the whole state, is unchanged. */
  unchangedBy<Value>(act: () => Value, isRefused: (value: Value) => boolean, every = 200): Value {
    this.#refusals += 1;
    const before = this.blockNumber;
    const digest = this.#refusals % every === 0 ? this.digest() : undefined;
    const value = act();
    if (!isRefused(value)) return value;
    if (this.blockNumber !== before) throw new Violation("state-changed", "a block was made");
    if (digest !== undefined && this.digest() !== digest) {
      throw new Violation("state-changed", "something in the exchange is different");
    }
    return value;
  }

  /** Checks that the venue still responds and that every token is conserved. */
  checkSound(): void {
    this.ask("GET", "/time");
    for (const [token, { held, deposited }] of this.venue.exchange.ledger.audit()) {
      if (held !== deposited)
        throw new Violation("wrong-answer", `token ${token} is not conserved`);
    }
    for (const address of addresses as readonly Address[]) {
      for (const { locked, unlocked } of this.venue.exchange.balances(address)) {
        if (locked < 0n || unlocked < 0n) throw new Violation("wrong-answer", "a balance below 0");
      }
    }
  }
}

function isCandleFailure(parsed: Readonly<Record<string, unknown>>): boolean {
  return typeof parsed["errorCode"] === "string" && typeof parsed["message"] === "string";
}

function exactText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? `${value}n` : value;
}
