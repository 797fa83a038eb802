import type { Address } from "../../src/domain/ids.ts";
import { unixSec } from "../../src/domain/time.ts";
import type { Signer } from "../../src/ports/crypto.ts";
import { endpoints } from "../../src/spec/endpoints.ts";
import { sessionDigest, typedSignatureText } from "../../src/spec/session-typed-data.ts";
import { commandRoutes } from "../../src/spec/sign-command.ts";
import type { SessionCommand } from "../../src/spec/wallet-command.ts";
import { testCrypto, TestTrader, type TestVenue } from "./venue.ts";

/** A session wallet of alice's or bob's on the test venue, with the owner's key at hand. */

type ResponseBody = Awaited<ReturnType<TestVenue["post"]>>;

const keyBytes = { alice: 1, bob: 2 } as const;

export class TestSession {
  readonly trader: TestTrader;
  readonly #venue: TestVenue;
  readonly #owner: TestTrader;
  readonly #keyByte: number;
  readonly #crypto: Awaited<ReturnType<typeof testCrypto>>;
  readonly #ownerKey: Signer;

  constructor(
    venue: TestVenue,
    crypto: Awaited<ReturnType<typeof testCrypto>>,
    owner: "alice" | "bob",
    keyByte: number,
  ) {
    this.#venue = venue;
    this.#crypto = crypto;
    this.#owner = venue[owner];
    this.#keyByte = keyByte;
    this.#ownerKey = crypto.signer(new Uint8Array(32).fill(keyBytes[owner]));
    this.trader = this.traderFor(this.#owner.address);
  }

  /** The session key, signing in the name of this owner. */
  traderFor(owner: Address): TestTrader {
    return new TestTrader(this.#crypto, this.#keyByte, this.#venue.clock, owner);
  }

  /** The owner's signature for this wallet. */
  sign(expirySec: number, nonce: number): string {
    const message = {
      sessionWallet: this.trader.address,
      expirySec: unixSec(expirySec),
      nonce,
    };
    const digest = sessionDigest(message, 8217, (bytes) => this.#crypto.keccak256(bytes));
    return typedSignatureText(this.#ownerKey.sign(digest));
  }

  signed(type: SessionCommand["type"], expirySec: number): { readonly tx: string } {
    const nonce = this.trader.nextNonce();
    const l1signature = this.sign(expirySec, nonce);
    const sessionWallet = this.trader.address;
    return this.trader.sign({
      type,
      nonce,
      sessionWallet,
      expirySec: unixSec(expirySec),
      l1signature,
    });
  }

  create(expirySec: number, name: string): Promise<ResponseBody> {
    const { tx } = this.signed("session-create", expirySec);
    return this.#post("session-create", { tx, name });
  }

  update(expirySec: number): Promise<ResponseBody> {
    return this.#post("session-update", { tx: this.signed("session-update", expirySec).tx });
  }

  /** Deletes the session with a transaction that the session key signs. */
  end(expirySec: number): Promise<ResponseBody> {
    return this.#post("session-delete", { tx: this.signed("session-delete", expirySec).tx });
  }

  #post(type: SessionCommand["type"], body: object): Promise<ResponseBody> {
    return this.#venue.post(endpoints[commandRoutes[type].endpoint].path, body);
  }
}

export async function testSession(
  venue: TestVenue,
  owner: "alice" | "bob",
  keyByte: number,
): Promise<TestSession> {
  return new TestSession(venue, await testCrypto(), owner, keyByte);
}
