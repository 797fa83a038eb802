import type { Log } from "../../src/ports/log.ts";
import { toHex } from "../../src/base/hex.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { marketId, type Address, type OrderId } from "../../src/domain/ids.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import type { ServerResponse } from "../../src/ports/server.ts";
import { CommandSigner, type SignableCommand } from "../../src/spec/sign-command.ts";
import { venueSchema, type VenueDocument } from "../../src/venue/config.ts";
import { startVenue, type RunningVenue, type VenueOptions } from "../../src/venue/start-venue.ts";
import type { RecordedMarket } from "../../src/venue/flow/recorded-market.ts";
import { MemoryServer } from "./memory-server.ts";
import { VirtualClock } from "./virtual-clock.ts";

/** A paper venue in memory on a virtual clock, and traders who sign for it. */

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

let crypto: Crypto | undefined;

export async function testCrypto(): Promise<Crypto> {
  crypto ??= await loadCrypto();
  return crypto;
}

/** Signs commands with a key of its own; nonces are the venue's time, rising. */
export class TestTrader {
  readonly address: Address;
  readonly #signer: CommandSigner;
  readonly #clock: Clock;
  #nonce = 0;

  constructor(crypto: Crypto, keyByte: number, clock: Clock, owner?: Address) {
    const signer = crypto.signer(new Uint8Array(32).fill(keyByte));
    this.address = signer.address;
    this.#clock = clock;
    this.#signer = new CommandSigner({
      owner: owner ?? this.address,
      chainId: 1001,
      crypto,
      signer,
    });
  }

  nextNonce(): number {
    this.#nonce = Math.max(this.#nonce + 1, this.#clock.nowMs());
    return this.#nonce;
  }

  sign(command: SignableCommand): { readonly tx: string; readonly txHash: OrderId } {
    const { bytesHex, txHash } = this.#signer.sign(command);
    return { tx: bytesHex, txHash };
  }

  limit(
    side: "BUY" | "SELL",
    price: number,
    quantity: string,
  ): { readonly tx: string; readonly txHash: OrderId } {
    return this.sign({
      type: "place",
      nonce: this.nextNonce(),
      marketId: marketId("1", "2"),
      side,
      orderType: "LIMIT",
      orderMode: 0,
      price,
      quantity: fixed(quantity),
    });
  }
}

export interface TestVenue {
  readonly venue: RunningVenue;
  readonly server: MemoryServer;
  readonly clock: VirtualClock;
  readonly alice: TestTrader;
  readonly bob: TestTrader;
  /** Sends a request and parses the response. */
  get(
    target: string,
    connection?: string,
  ): Promise<{
    readonly status: number;
    readonly body: unknown;
    readonly headers: ServerResponse["headers"];
  }>;
  post(
    path: string,
    body: unknown,
  ): Promise<{
    readonly status: number;
    readonly body: unknown;
    readonly headers: ServerResponse["headers"];
  }>;
}

export const START_MS = 1_767_225_600_000;

/** Alice and Bob have 100 ETH and 250000 USDT each. */
export async function testVenue(
  document: VenueDocument = {},
  recording?: readonly RecordedMarket[],
  options: Pick<VenueOptions, "layer1"> = {},
): Promise<TestVenue> {
  const crypto = await testCrypto();
  const clock = new VirtualClock(START_MS);
  const server = new MemoryServer();
  const [alice, bob] = [new TestTrader(crypto, 1, clock), new TestTrader(crypto, 2, clock)];
  const money = { "1": "100", "2": "250000" };
  const config = venueSchema.parse({
    accounts: { [alice.address]: money, [bob.address]: money },
    ...document,
  });
  const venue = await startVenue({
    config,
    listen: { host: "127.0.0.1", port: 0 },
    ports: { server, clock, timer: clock, crypto, log: silentLog },
    ...(recording === undefined ? {} : { recording }),
    ...options,
  });
  const parsed = (response: ServerResponse) => ({
    status: response.status,
    body: JSON.parse(response.body) as unknown,
    headers: response.headers,
  });
  return {
    venue,
    server,
    clock,
    alice,
    bob,
    get: async (target, connection) => parsed(await server.request("GET", target, "", connection)),
    post: async (path, body) =>
      parsed(
        await server.request("POST", path, typeof body === "string" ? body : JSON.stringify(body)),
      ),
  };
}

/** A hash that belongs to nothing. */
export function strangeHash(byte: number): string {
  return toHex(new Uint8Array(32).fill(byte));
}
