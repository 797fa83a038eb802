import fc from "fast-check";
import { assert } from "../../../src/base/assert.ts";
import { toHex } from "../../../src/base/hex.ts";
import { fixed } from "../../../src/domain/fixed.ts";
import { marketId, tokenId } from "../../../src/domain/ids.ts";
import { CommandSigner } from "../../../src/spec/sign-command.ts";
import { START_MS } from "../../support/venue.ts";
import { few, flip, flipped, hostileJson, scratch, scratched, spoil, spoiled } from "../hostile.ts";
import { isFields, isHash, isHexBytes } from "../strict-values.ts";
import { defineTarget, Violation } from "../target.ts";
import { crypto, signers, VenueProbe } from "../venue-probe.ts";
import { postPaths } from "../wire-grammar.ts";

/** Correctly signed bodies with their endpoints. A changed byte of `tx` gives another signer, who has no permission. */
const good: readonly { readonly path: string; readonly tx: string; readonly hash: string }[] =
  goodBodies();

function goodBodies() {
  const [signer, other] = signers;
  assert(signer !== undefined && other !== undefined, "two signers");
  const commands = new CommandSigner({ owner: signer.address, chainId: 1001, crypto, signer });
  let nonce = START_MS;
  const order = {
    type: "place",
    marketId: marketId("1", "2"),
    side: "BUY",
    orderType: "LIMIT",
    orderMode: 0,
    price: 1800,
    quantity: fixed("1"),
  } as const;
  return [
    ...Array.from({ length: 20 }, () => ({ path: "/api/v1/order", ...order })),
    { path: "/api/v1/order/cancel/all", type: "cancel-all" } as const,
    {
      path: "/api/v1/wallet/transfer",
      type: "token-transfer",
      to: other.address,
      tokenId: tokenId("2"),
      value: fixed("5"),
    } as const,
    {
      path: "/api/v1/wallet/withdraw",
      type: "withdraw",
      to: other.address,
      tokenId: tokenId("2"),
      value: fixed("5"),
    } as const,
  ].map(({ path, ...command }) => {
    nonce += 1;
    const { bytesHex, txHash } = commands.sign({ ...command, nonce });
    return { path, tx: bytesHex, hash: txHash };
  });
}

const RETRY = "/api/v1/wallet/withdraw/retry";
const withdrawal = good.at(-1);

const inputs = fc
  .record({
    at: fc.nat(good.length - 1),
    path: fc.oneof(
      { weight: 8, arbitrary: fc.constant(-1) },
      { weight: 2, arbitrary: fc.nat(postPaths.length - 1) },
    ),
    body: fc.oneof(
      { weight: 8, arbitrary: fc.constant("tx") },
      { weight: 1, arbitrary: fc.constant("txHash") },
      { weight: 1, arbitrary: hostileJson },
    ),
    more: fc.constantFrom({}, {}, {}, { name: "bot" }, { name: 5 }, { extra: null }),
    isUpper: fc.boolean(),
    spoils: few(spoil),
    scratches: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: few(scratch) },
    ),
    flips: fc.oneof({ weight: 8, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: few(flip) }),
  })
  .map(({ at, path, body, more, isUpper, spoils, scratches, flips }) => {
    const signed = good[at];
    assert(signed !== undefined, "a good one");
    const tx = isUpper ? `0x${signed.tx.slice(2).toUpperCase()}` : signed.tx;
    const value =
      body === "tx" ? { tx, ...more } : body === "txHash" ? { txHash: signed.hash, ...more } : body;
    const text = scratched(JSON.stringify(spoiled(value, spoils)) ?? "", scratches);
    const fallback = body === "txHash" ? RETRY : signed.path;
    return {
      path: path < 0 ? fallback : (postPaths[path] ?? fallback),
      body: flipped(Buffer.from(text), flips),
    };
  });

/** Every POST endpoint accepts only the exact bytes that were signed for it. */
export const bodyTarget = defineTarget({
  name: "bodies",
  weight: 10,
  inputs,
  open: async () => {
    const probe = await VenueProbe.open();
    return {
      check: ({ path, body }) => {
        const isRight = isGood(path, Buffer.from(body));
        const { status, body: response } = probe.unchangedBy(
          () => probe.ask("POST", path, body),
          ({ status }) => status !== 200,
        );
        if (status === 200 && !isRight) throw new Violation("accepted-invalid", response);
        // Money for the transfer may be locked by then; and a withdrawal cannot be retried before it was made.
        const mayFail = path !== "/api/v1/order" && path !== "/api/v1/order/cancel/all";
        if (status !== 200 && isRight && !mayFail) throw new Violation("refused-valid", response);
        return status === 200 ? "taken" : "refused";
      },
      end: () => probe.checkSound(),
    };
  },
});

/** Whether this is JSON with one of the signed transactions for this endpoint. */
function isGood(path: string, bytes: Buffer): boolean {
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes)) return false;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return false;
  }
  if (!isFields(body)) return false;
  if (path === RETRY) {
    const { txHash } = body;
    return isHash(txHash) && txHash.toLowerCase() === withdrawal?.hash;
  }
  const { tx } = body;
  if (!isHexBytes(tx)) return false;
  const lower = toHex(Buffer.from(tx.slice(2), "hex"));
  return good.some((signed) => signed.path === path && signed.tx === lower);
}
