import { TypedDataEncoder, type TypedDataField } from "ethers";
import { describe, expect, it } from "vitest";
import { assert } from "../../src/base/assert.ts";
import { fromHex, toHex } from "../../src/base/hex.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { addressOf, marketId, orderId, tokenId } from "../../src/domain/ids.ts";
import { legIdsOf } from "../../src/domain/leg-ids.ts";
import { unixSec } from "../../src/domain/time.ts";
import type { Tpsl } from "../../src/domain/tpsl.ts";
import { loadEthersCrypto } from "../../src/platform/crypto-ethers.ts";
import { loadNativeCrypto } from "../../src/platform/crypto-native.ts";
import { checksumAddress } from "../../src/spec/checksum-address.ts";
import type { WireTpsl } from "../../src/spec/commands/order.ts";
import { sessionActions } from "../../src/spec/commands/session.ts";
import { decodeContext } from "../../src/spec/context.ts";
import {
  parseTypedSignature,
  sessionDigest,
  sessionTypedData,
  typedSignatureText,
} from "../../src/spec/session-typed-data.ts";
import { CommandSigner, type SignableCommand } from "../../src/spec/sign-command.ts";
import { decodeTransaction } from "../../src/spec/transaction.ts";
import { allVectors, type SigningVector, testKeys } from "../golden/signing-vectors.ts";

// The native binding is optional: where it cannot be loaded only ethers is held to the vectors.
const native = await loadNativeCrypto().catch(() => undefined);
const cryptos = [await loadEthersCrypto(), ...(native === undefined ? [] : [native])];

function bytes(hex: string): Uint8Array {
  const value = fromHex(hex);
  assert(value !== undefined, "hex digits");
  return value;
}

function id(text: string) {
  const value = orderId(text);
  assert(value !== undefined, "an order id");
  return value;
}

function address(text: string) {
  const value = addressOf(text);
  assert(value !== undefined, "an address");
  return value;
}

function tpslOf(tpsl: WireTpsl): Tpsl {
  const { tpLimit, slTrigger, slLimit } = tpsl;
  return {
    tpLimit: Number(tpLimit),
    slTrigger: Number(slTrigger),
    slLimit: slLimit === undefined ? undefined : Number(slLimit),
  };
}

const sessionVectors = allVectors.filter((vector) => vector.typedMessage !== undefined);

/** The command that the vector's context states, read by the strict decoder. */
function commandOf(vector: SigningVector): SignableCommand {
  const decoded = decodeContext(bytes(vector.data));
  assert(decoded.ok, `${vector.name}: ${decoded.ok ? "" : decoded.error}`);
  const { name, context } = decoded.value;
  const { nonce } = vector;
  switch (name) {
    case "order":
      return {
        type: "place",
        nonce,
        marketId: marketId(context.baseToken, context.quoteToken),
        side: context.side === 0 ? "BUY" : "SELL",
        orderType: context.orderType === 0 ? "LIMIT" : "MARKET",
        orderMode: context.orderMode,
        price: Number(context.price),
        quantity: fixed(context.quantity),
        ...(context.tpsl === undefined ? {} : { tpsl: tpslOf(context.tpsl) }),
      };
    case "stop":
      return {
        type: "stop",
        nonce,
        marketId: marketId(context.baseToken, context.quoteToken),
        side: context.side === 0 ? "BUY" : "SELL",
        stopPrice: Number(context.stopPrice),
        orderType: context.orderType === 0 ? "LIMIT" : "MARKET",
        orderMode: context.orderMode,
        price: Number(context.price),
        quantity: fixed(context.quantity),
      };
    case "session":
      return {
        type: `session-${sessionActions[context.type].action}`,
        nonce,
        sessionWallet: address(context.publickey),
        expirySec: unixSec(context.expiresAt),
        l1signature: context.l1signature,
      };
    case "transfer":
      return { type: "transfer", nonce, to: address(context.to), value: fixed(context.value) };
    case "token-transfer":
    case "withdraw":
      return {
        type: name,
        nonce,
        to: address(context.to),
        tokenId: tokenId(context.token),
        value: fixed(context.value),
      };
    case "cancel":
      return { type: "cancel", nonce, orderId: id(context.orderId) };
    case "cancel-all":
      return { type: "cancel-all", nonce };
    case "modify":
      return {
        type: "modify",
        nonce,
        orderId: id(context.orderId),
        newPrice: typeof context.newPrice === "string" ? Number(context.newPrice) : undefined,
        newQty: typeof context.newQty === "string" ? fixed(context.newQty) : undefined,
      };
  }
}

it("covers all twenty vectors, every command of the interface", () => {
  expect(allVectors).toHaveLength(20);
  expect(new Set(allVectors.map((vector) => Number(vector.command)))).toEqual(
    new Set([0x21, 0x22, 0x23, 0x24, 0x25, 0x11, 0x01]),
  );
});

describe.each(cryptos)("with $name", (crypto) => {
  it.each(allVectors)("signs to the vector's bytes: $name", (vector) => {
    const owner = addressOf(testKeys["owner"]?.address ?? "");
    const privateKey = testKeys[vector.signer]?.privateKey;
    assert(owner !== undefined && privateKey !== undefined, "keys of the vector");
    const signer = crypto.signer(bytes(privateKey));
    const command = commandOf(vector);
    const commandSigner = new CommandSigner({ owner, chainId: vector.chainId, crypto, signer });
    expect(commandSigner.sign(command)).toEqual({
      bytesHex: vector.rawTransaction,
      txHash: vector.hash,
    });
  });

  it.each(allVectors)("reads the vector's bytes and recovers who signed: $name", (vector) => {
    const decoded = decodeTransaction(bytes(vector.rawTransaction), vector.chainId);
    assert(decoded.ok, vector.name);
    const { nonce, data, gasLimit, unsigned, signature } = decoded.value;
    expect({ nonce, data: toHex(data), gasLimit }).toEqual({
      nonce: vector.nonce,
      data: vector.data,
      gasLimit: 0x30000,
    });
    const signedBy = crypto.recover(crypto.keccak256(unsigned), signature.rs, signature.recovery);
    expect(signedBy).toBe(addressOf(testKeys[vector.signer]?.address ?? ""));
  });

  it.each(sessionVectors)("signs and recovers the typed data (§5): $name", (vector) => {
    const { typedMessage, l1ChainId } = vector;
    assert(typedMessage !== undefined && l1ChainId !== undefined, "a session vector");
    const message = {
      sessionWallet: address(typedMessage.sessionWallet),
      expirySec: unixSec(Number(typedMessage.expiry)),
      nonce: Number(typedMessage.nonce),
    };
    const digest = sessionDigest(message, l1ChainId, crypto.keccak256);
    const owner = crypto.signer(bytes(testKeys["owner"]?.privateKey ?? ""));
    expect(typedSignatureText(owner.sign(digest))).toBe(vector.l1signature);
    const signature = parseTypedSignature(vector.l1signature ?? "");
    assert(signature !== undefined, "a typed signature");
    expect(crypto.recover(digest, signature.rs, signature.recovery)).toBe(owner.address);
    // What a wallet is shown is what is signed.
    const {
      domain,
      types,
      message: shown,
    } = sessionTypedData(message, l1ChainId, crypto.keccak256);
    expect(shown).toEqual(typedMessage);
    const { EIP712Domain: _, ...named } = types;
    const plain = JSON.parse(JSON.stringify(named)) as Record<string, TypedDataField[]>;
    expect(TypedDataEncoder.hash(domain, plain, shown)).toBe(toHex(digest));
  });

  it.each(Object.entries(testKeys))("knows the address of %s, in EIP-55 form", (_, key) => {
    const { address } = crypto.signer(bytes(key.privateKey));
    expect(checksumAddress(address, crypto.keccak256)).toBe(key.address);
  });
});

describe("the legs of a take-profit/stop-loss order (§4.4)", () => {
  const withLegs = allVectors.filter((vector) => vector.takeProfitOrderId !== undefined);

  it.each(withLegs)("have the vector's ids: $name", (vector) => {
    const { takeProfitOrderId: takeProfit, stopLossOrderId: stopLoss } = vector;
    expect(legIdsOf(id(vector.hash))).toEqual({ takeProfit, stopLoss });
  });

  it("wraps the last byte only", () => {
    expect(withLegs.map((vector) => vector.hash.slice(-2))).toEqual(
      expect.arrayContaining(["fe", "ff"]),
    );
    const start = `0x${"ff".repeat(31)}`;
    expect(legIdsOf(id(`${start}ff`))).toEqual({
      takeProfit: `${start}00`,
      stopLoss: `${start}01`,
    });
    expect(legIdsOf(id(`${start}0e`))).toEqual({
      takeProfit: `${start}0f`,
      stopLoss: `${start}10`,
    });
  });
});
