import { Prng } from "../base/prng.ts";
import { TouchlineError } from "../base/error.ts";
import { assert } from "../base/assert.ts";
import { unixSec, type UnixMs } from "../domain/time.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { Crypto, Signer } from "../ports/crypto.ts";
import type { Bot } from "../runtime/bot.ts";
import type { LivePorts, LiveSettings } from "../runtime/live-settings.ts";
import { RequestPace } from "../runtime/request-pace.ts";
import { type SessionSetup, startWithSession } from "../runtime/session-signer.ts";
import { ownerOf } from "../sdk/node.ts";
import type { SessionTiming } from "../session/session-keeper.ts";
import type { MemoryStore } from "./memory-store.ts";

/** Sessions so short that several end in a world. */
export interface SessionTimes {
  readonly lifetimeMs: number;
  /** The next session is made this long before the end. */
  readonly beforeMs: number;
  /** As in `SessionKeeperOptions`. */
  readonly stopBeforeMs: number;
}

const L1_CHAIN_ID = 8217;
/** As the keeper's own, for sessions of a minute. */
const timing: SessionTiming = {
  checkMs: 10_000,
  recheckMs: 2_000,
  retryMs: 3_000,
  overlapMs: 15_000,
};

interface SavedKey {
  readonly signer: Signer;
  isDurable: boolean;
}

/**
 * The session wallets of the simulated bot. Their keys are on the disk of the journal: a full disk takes no new key, a new key waits for a
 * disk that hangs, and a power cut loses those that were not synced.
 */
export class SimulatedSession {
  readonly #times: SessionTimes;
  readonly #crypto: Crypto;
  readonly #owner: Signer;
  readonly #store: MemoryStore;
  readonly #prng: Prng;
  readonly #keys: SavedKey[] = [];
  /** Those that the process has opened, as the watchdog's thread knows them. */
  #opened: Signer[] = [];

  constructor(
    times: SessionTimes,
    world: {
      readonly seed: number;
      readonly crypto: Crypto;
      /** The owner's key. */
      readonly owner: Signer;
      readonly store: MemoryStore;
    },
  ) {
    this.#times = times;
    this.#crypto = world.crypto;
    this.#owner = world.owner;
    this.#store = world.store;
    this.#prng = new Prng(world.seed).fork("session keys");
    this.#keys.push({ signer: this.#newKey(), isDurable: true });
  }

  /** The owner makes the session of the configured key, by another program. */
  create(exchange: Exchange, nowMs: UnixMs): void {
    const [configured] = this.#keys;
    assert(configured !== undefined, "a key is configured");
    this.#change(exchange, nowMs, "create", configured.signer);
  }

  /** The owner ends the sessions that are active, by another program. Returns how many. */
  revoke(exchange: Exchange, nowMs: UnixMs): number {
    const applied = new Set(
      exchange
        .sessions(this.#owner.address, nowMs)
        .flatMap((session) => (session.applied ? [session.sessionWallet] : [])),
    );
    const ended = this.#keys.filter(({ signer }) => applied.has(signer.address));
    for (const { signer } of ended) this.#change(exchange, nowMs, "delete", signer);
    return ended.length;
  }

  #change(
    exchange: Exchange,
    nowMs: UnixMs,
    action: "create" | "delete",
    { address }: Signer,
  ): void {
    const { address: owner } = this.#owner;
    const expirySec = unixSec(Math.floor((nowMs + this.#times.lifetimeMs) / 1000));
    const terms = { action, sessionWallet: address, expirySec, nonce: nowMs, name: "touchline" };
    exchange.execute(owner, { type: "session", ...terms, l1signer: owner }, nowMs);
  }

  /** Starts the bot of a new process. Rejects as `startWithSession` does. */
  start(settings: LiveSettings, ports: LivePorts): Promise<Bot> {
    this.#opened = [];
    const pace = new RequestPace(settings.rateLimit, ports);
    return startWithSession(settings, this.#signing(), { ...ports, pace });
  }

  /** The signer of this address; undefined when the process has not opened its key. */
  openedBy(address: string): Signer | undefined {
    return this.#opened.find((signer) => signer.address === address);
  }

  powerCut(): void {
    for (let at = this.#keys.length - 1; at > 0; at -= 1) {
      if (this.#keys[at]?.isDurable === false) this.#keys.splice(at, 1);
    }
  }

  #signing(): SessionSetup {
    const [configured] = this.#keys;
    assert(configured !== undefined, "a key is configured");
    const { lifetimeMs, beforeMs, stopBeforeMs } = this.#times;
    const open = async (signer: Signer): Promise<Signer> => {
      this.#opened.push(signer);
      return signer;
    };
    return {
      owner: this.#owner.address,
      l1ChainId: L1_CHAIN_ID,
      stopBeforeMs,
      timing,
      keys: {
        configured: async () => configured.signer.address,
        all: async () =>
          this.#keys.map(({ signer }) => ({ address: signer.address, open: () => open(signer) })),
      },
      renew: {
        owner: ownerOf(this.#owner),
        lifetimeMs,
        beforeMs,
        newSigner: async () => open(await this.#save(this.#newKey())),
      },
    };
  }

  /** Resolves once the key is on disk. */
  async #save(signer: Signer): Promise<Signer> {
    if (this.#store.roomBytes <= 0) throw new TouchlineError("WRITE_FAILED", "The disk is full.");
    const key: SavedKey = { signer, isDurable: false };
    this.#keys.push(key);
    await new Promise<void>((resolve) => {
      this.#store.whenFree(resolve);
    });
    key.isDurable = true;
    return signer;
  }

  #newKey(): Signer {
    return this.#crypto.signer(Uint8Array.from({ length: 32 }, () => this.#prng.int(1, 200)));
  }
}
