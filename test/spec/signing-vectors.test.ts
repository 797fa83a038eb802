import { describe, expect, it } from "vitest";
import { assert } from "../../src/base/assert.ts";
import { fromHex, toHex } from "../../src/base/hex.ts";
import { fixed } from "../../src/domain/fixed.ts";
import { addressOf, marketId, orderId } from "../../src/domain/ids.ts";
import { loadEthersCrypto } from "../../src/platform/crypto-ethers.ts";
import { loadNativeCrypto } from "../../src/platform/crypto-native.ts";
import { checksumAddress } from "../../src/spec/checksum-address.ts";
import { decodeContext } from "../../src/spec/context.ts";
import { CommandSigner, type SignableCommand } from "../../src/spec/sign-command.ts";
import { decodeTransaction } from "../../src/spec/transaction.ts";
import {
  allVectors,
  type SigningVector,
  testKeys,
  tradingVectors,
} from "../golden/signing-vectors.ts";

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

it("covers each trading command", () => {
  expect(tradingVectors).toHaveLength(10);
  expect(new Set(tradingVectors.map((vector) => vector.command)).size).toBe(4);
});

describe.each(cryptos)("with $name", (crypto) => {
  it.each(tradingVectors)("signs to the vector's bytes: $name", (vector) => {
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

  // Every command is in the same envelope, so the ones that come later are read here already.
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

  it.each(Object.entries(testKeys))("knows the address of %s, in EIP-55 form", (_, key) => {
    const { address } = crypto.signer(bytes(key.privateKey));
    expect(checksumAddress(address, crypto.keccak256)).toBe(key.address);
  });
});
