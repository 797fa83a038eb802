import fc from "fast-check";
import { assert } from "../../../src/base/assert.ts";
import { toHex } from "../../../src/base/hex.ts";
import { addressOf, type Address } from "../../../src/domain/ids.ts";
import { unixSec } from "../../../src/domain/time.ts";
import { sessionDigest, typedSignatureText } from "../../../src/spec/session-typed-data.ts";
import { signedBytes } from "../../support/transaction-bytes.ts";
import { START_MS } from "../../support/venue.ts";
import { few, scratch, scratched, spoil, spoiled } from "../hostile.ts";
import { strictContext } from "../strict-context.ts";
import type { Fields } from "../strict-values.ts";
import { defineTarget, Violation } from "../target.ts";
import { addresses, crypto, markets, signers, VenueProbe } from "../venue-probe.ts";
import { commandByteList, contexts, pathsOfByte, postPaths } from "../wire-grammar.ts";

const OWNER = 0;
const SESSION = 2;
/** Placeholder for an existing order's id, replaced when the input is used. */
const ORDER = `0x${"fe".repeat(32)}`;
const NOW_SEC = START_MS / 1000;

const named = {
  owner: fc.constant("OWNER"),
  address: fc.constantFrom<string>(...addresses),
  orderId: fc.constantFrom(ORDER, ORDER, ORDER, ORDER, `0x${"11".repeat(32)}`),
};
const grammar = contexts(named);

/** A signed command: signer, named owner, context, how its nonce is chosen, and what is wrong with it. */
const inputs = fc.constantFrom(...commandByteList, 0x21, 0x21, 0x25).chain((byte) =>
  fc.record({
    signer: fc.constantFrom(0, 0, 0, 1, 1, 2, 3),
    owner: fc.constantFrom(0, 1, -1, -1, -1, -1, -1),
    byte: fc.constant<number>(byte),
    context: grammar[byte] ?? fc.constant({}),
    order: fc.nat(200),
    spoils: fc.oneof(
      { weight: 5, arbitrary: fc.constant([]) },
      { weight: 4, arbitrary: few(spoil) },
    ),
    scratches: fc.oneof(
      { weight: 8, arbitrary: fc.constant([]) },
      { weight: 1, arbitrary: few(scratch) },
    ),
    nonce: fc.constantFrom(
      ...Array.from({ length: 16 }, () => "time"),
      "next",
      "next",
      "gap",
      "used",
      "late",
    ),
    chainId: fc.oneof(
      { weight: 30, arbitrary: fc.constant(1001) },
      { weight: 1, arbitrary: fc.constantFrom(1, 8217) },
    ),
    gasLimit: fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(0x30000, 21_000) },
      { weight: 1, arbitrary: fc.constantFrom(20_999, 0) },
    ),
    path: fc.oneof(
      { weight: 12, arbitrary: fc.constant(-1) },
      { weight: 1, arbitrary: fc.nat(postPaths.length - 1) },
    ),
    l1signer: fc.constantFrom(-1, -1, -1, 0, 1, 2),
  }),
);

/** An independent model of the nonce rules of D6. */
class Nonces {
  readonly #next = [0, 0, 0, 0];
  readonly #used = new Set<string>();
  #newest = START_MS;

  make(signer: number, how: string): number {
    const next = this.#next[signer] ?? 0;
    if (how === "next") return next;
    if (how === "gap") return next + 1;
    if (how === "used") return next > 0 ? next - 1 : this.#newest;
    if (how === "late") return START_MS - 60_001;
    this.#newest += 1;
    return this.#newest;
  }

  mayUse(signer: number, nonce: number, nowMs: number): boolean {
    if (nonce < 1e12) return nonce === this.#next[signer];
    return Math.abs(nonce - nowMs) <= 60_000 && !this.#used.has(`${signer} ${nonce}`);
  }

  use(signer: number, nonce: number): void {
    if (nonce < 1e12) this.#next[signer] = (this.#next[signer] ?? 0) + 1;
    else this.#used.add(`${signer} ${nonce}`);
  }
}

/** Complete signed commands: for any signer and context, only a fully valid command is executed. */
export const commandTarget = defineTarget({
  name: "signed commands",
  weight: 12,
  inputs,
  open: async () => {
    const probe = await VenueProbe.open();
    const nonces = new Nonces();
    const orders: string[] = [];
    const responded = new Set<string>();
    /** Owner and session wallet of each session that is applied. */
    const applied = new Set<string>();
    const address = (at: number): Address => {
      const found = addresses[at];
      assert(found !== undefined, "one of the four");
      return found;
    };

    return {
      check: (input) => {
        // Time moves with the nonces, so that they stay within the nonce window.
        probe.clock.advance(1);
        const nowMs = probe.clock.nowMs();
        const signer = signers[input.signer];
        assert(signer !== undefined, "one of the four");
        const usualOwner = input.signer === SESSION ? OWNER : input.signer;
        const owner = address(input.owner < 0 ? usualOwner : input.owner);
        const nonce = nonces.make(input.signer, input.nonce);
        const context = { ...input.context, l1owner: owner } as Record<string, unknown>;
        if (context["orderId"] === ORDER) {
          context["orderId"] = orders[orders.length - 1 - (input.order % orders.length)] ?? ORDER;
        }
        if (input.byte === 0x01) signSession(context, nonce, owner, input.l1signer);
        const text = scratched(JSON.stringify(spoiled(context, input.spoils)), input.scratches);
        const data = Uint8Array.of(input.byte, ...Buffer.from(text));
        const { chainId, gasLimit } = input;
        const transaction = { chainId, nonce, gasLimit, data };
        const bytes = signedBytes(transaction, { signer, crypto });
        const strict = strictContext(data);
        const paths = pathsOf(strict?.byte, strict?.context);
        const path =
          input.path < 0
            ? (paths[0] ?? pathsOfByte[input.byte]?.[0] ?? "/api/v1/order")
            : (postPaths[input.path] ?? "");

        const hash = toHex(crypto.keccak256(bytes));
        // The same bytes again get the same response by D6, whatever the state of their nonce.
        const isReplay = responded.has(hash) && paths.includes(path);
        const reason = isReplay
          ? undefined
          : strict === undefined
            ? "its context"
            : chainId !== 1001 || gasLimit < 21_000
              ? "its chain or gas"
              : !paths.includes(path)
                ? "its endpoint"
                : !nonces.mayUse(input.signer, nonce, nowMs)
                  ? "its nonce"
                  : !mayDo(input.signer, strict.byte, strict.context)
                    ? "its signer"
                    : undefined;
        const { status, body } = probe.unchangedBy(
          () => probe.ask("POST", path, JSON.stringify({ tx: toHex(bytes) })),
          (response) => response.status !== 200,
          250,
        );
        if (status === 200 && reason !== undefined) {
          throw new Violation("accepted-invalid", `for ${reason}: ${text}`);
        }
        if (status !== 200) {
          const isPlainOrder =
            reason === undefined && strict?.byte === 0x21 && isKnownMarket(strict.context);
          if (isPlainOrder) throw new Violation("refused-valid", body);
          if (![400, 401, 404, 409].includes(status)) throw new Violation("wrong-answer", body);
          return "refused";
        }
        const { result } = JSON.parse(body) as { readonly result?: unknown };
        if (input.byte !== 0x01 && result !== hash) throw new Violation("wrong-answer", body);
        if (isReplay) return "taken";
        responded.add(hash);
        nonces.use(input.signer, nonce);
        if (strict !== undefined) learn(strict.byte, strict.context, hash);
        return "taken";
      },
      end: () => probe.checkSound(),
    };

    /** D7: the owner may do everything; a session wallet may trade, and send session commands that the owner signed. */
    function mayDo(signer: number, byte: number, context: Fields): boolean {
      const owner = addressOf(String(context["l1owner"]));
      const isOwner = owner === address(signer);
      if (byte === 0x01) {
        const isItself = addressOf(String(context["publickey"])) === address(signer);
        return (isOwner || isItself) && isSignedByOwner(context);
      }
      if (isOwner) return true;
      const isTrading = byte >= 0x21 && byte <= 0x25;
      return isTrading && applied.has(`${owner} ${address(signer)}`);
    }

    function isSignedByOwner(context: Fields): boolean {
      const wanted = addressOf(String(context["l1owner"]));
      return signers.some(
        (signer) =>
          signer.address === wanted &&
          signatureOf(signer, context) === String(context["l1signature"]).toLowerCase(),
      );
    }

    function learn(byte: number, context: Fields, hash: string): void {
      if (byte === 0x21 || byte === 0x24 || byte === 0x25) {
        orders.push(hash);
        if (orders.length > 200) orders.shift();
      }
      if (byte !== 0x01) return;
      const [owner, wallet] = [context["l1owner"], context["publickey"]].map((text) =>
        addressOf(String(text)),
      );
      if (context["type"] === 1) applied.add(`${owner} ${wallet}`);
      if (context["type"] === 3) applied.delete(`${owner} ${wallet}`);
    }
  },
});

/** Makes a session context, signed by the owner or by another account. */
function signSession(
  context: Record<string, unknown>,
  nonce: number,
  owner: Address,
  l1signer: number,
): void {
  context["nonce"] = nonce;
  const by = l1signer < 0 ? signers.find(({ address }) => address === owner) : signers[l1signer];
  assert(by !== undefined, "one of the four");
  // One day ahead, so valid for the whole run, or long expired.
  if (context["expiresAt"] === 1_767_300_000) context["expiresAt"] = NOW_SEC + 864_000;
  context["l1signature"] = signatureOf(by, context);
}

function signatureOf(by: (typeof signers)[number], context: Fields): string {
  const sessionWallet = addressOf(String(context["publickey"]));
  assert(sessionWallet !== undefined, "an address");
  const message = {
    sessionWallet,
    expirySec: unixSec(Number(context["expiresAt"])),
    nonce: Number(context["nonce"]),
  };
  const digest = sessionDigest(message, 8217, (bytes) => crypto.keccak256(bytes));
  return typedSignatureText(by.sign(digest));
}

function pathsOf(byte: number | undefined, context: Fields | undefined): readonly string[] {
  const paths = pathsOfByte[byte ?? -1] ?? [];
  return byte === 0x01 ? paths.slice(Number(context?.["type"]) - 1).slice(0, 1) : paths;
}

function isKnownMarket(context: Fields): boolean {
  const market = `${String(context["baseToken"])}_${String(context["quoteToken"])}`;
  return markets.some((known) => known === market);
}
