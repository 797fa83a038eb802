import { Transaction } from "ethers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { assert } from "../../src/base/assert.ts";
import { fromHex, toHex } from "../../src/base/hex.ts";
import { isPlainText } from "../../src/base/plain-text.ts";
import { fixed, type Fixed } from "../../src/domain/fixed.ts";
import { addressOf, type MarketId, type OrderId } from "../../src/domain/ids.ts";
import { loadCrypto } from "../../src/platform/crypto.ts";
import { commands } from "../../src/spec/commands.ts";
import { decodeContext } from "../../src/spec/context.ts";
import {
  CommandEncoder,
  CommandSigner,
  commandRoutes,
  type SignableCommand,
} from "../../src/spec/sign-command.ts";
import { commandData, CONTRACT_ADDRESS, decodeTransaction } from "../../src/spec/transaction.ts";
import { encodeSigned, encodeUnsigned } from "../support/transaction-bytes.ts";

const crypto = await loadCrypto();
const signer = crypto.signer(new Uint8Array(32).fill(9));

const hex = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => toHex(bytes));
const nonce = fc.oneof(fc.maxSafeNat(), fc.integer({ min: 0, max: 300 }));
const chainId = fc.integer({ min: 1, max: 2 ** 40 });
const owner = hex(20).map((text) => {
  const address = addressOf(text);
  assert(address !== undefined, "an address");
  return address;
});
/** Every digit that may stand: price with 8 decimals, quantity with 18. */
const price = fc
  .integer({ min: 1, max: 99_999 })
  .chain((digits) =>
    fc.integer({ min: -8, max: 3 }).map((exponent) => Number(`${digits}e${exponent}`)),
  );
const quantity = fc
  .bigInt({ min: 1n, max: 10n ** 30n })
  .map((units) => (units * 10n ** 8n) as Fixed);
const token = fc
  .string({ minLength: 1, maxLength: 8, unit: "grapheme" })
  .filter((text) => /^[^_\s]+$/.test(text) && isPlainText(text));
const market = fc.tuple(token, token).map(([base, quote]) => `${base}_${quote}` as MarketId);
const orderId = hex(32).map((text) => text as OrderId);

const command: fc.Arbitrary<SignableCommand> = fc.oneof(
  fc
    .record({
      type: fc.constant("place" as const),
      nonce,
      marketId: market,
      side: fc.constantFrom("BUY" as const, "SELL" as const),
      orderType: fc.constantFrom("LIMIT" as const, "MARKET" as const),
      orderMode: fc.constantFrom(0 as const, 1 as const),
      price,
      quantity,
    })
    .map((place) => (place.orderType === "MARKET" ? { ...place, price: 0 } : place)),
  fc.record({ type: fc.constant("cancel" as const), nonce, orderId }),
  fc.record({ type: fc.constant("cancel-all" as const), nonce }),
  fc
    .record({
      type: fc.constant("modify" as const),
      nonce,
      orderId,
      newPrice: fc.option(price, { nil: undefined }),
      newQty: fc.option(quantity, { nil: undefined }),
    })
    .filter((modify) => modify.newPrice !== undefined || modify.newQty !== undefined),
);

it("decodes what it encodes, and encodes as ethers does", () => {
  fc.assert(
    fc.property(
      fc.record({
        chainId,
        nonce,
        gasLimit: fc.integer({ min: 21_000, max: 2 ** 40 }),
        data: fc.uint8Array({ minLength: 1, maxLength: 700 }),
      }),
      (transaction) => {
        const unsigned = encodeUnsigned(transaction);
        const signature = signer.sign(crypto.keccak256(unsigned));
        const signed = encodeSigned(transaction, signature);
        expect(decodeTransaction(signed, transaction.chainId)).toEqual({
          ok: true,
          value: { ...transaction, signature, unsigned },
        });
        const theirs = Transaction.from({
          ...transaction,
          type: 0,
          gasPrice: 0,
          to: CONTRACT_ADDRESS,
          value: 0,
          data: toHex(transaction.data),
        });
        expect(toHex(unsigned)).toBe(theirs.unsignedSerialized);
        theirs.signature = {
          r: toHex(signature.rs.subarray(0, 32)),
          s: toHex(signature.rs.subarray(32)),
          yParity: signature.recovery,
        };
        expect(toHex(signed)).toBe(theirs.serialized);
      },
    ),
  );
});

it("never throws on any bytes, and never decodes a changed transaction as the same one", () => {
  const original = fromHex(
    new CommandSigner({ owner: signer.address, chainId: 1001, crypto, signer }).sign({
      type: "cancel-all",
      nonce: 1_767_225_600_000,
    }).bytesHex,
  );
  assert(original !== undefined, "signed bytes");
  fc.assert(
    fc.property(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
      const changed = original.slice();
      changed[at] = (changed[at] ?? 0) ^ flip;
      const decoded = decodeTransaction(changed, 1001);
      if (!decoded.ok) return;
      const { unsigned, signature } = decoded.value;
      expect(crypto.recover(crypto.keccak256(unsigned), signature.rs, signature.recovery)).not.toBe(
        signer.address,
      );
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      decodeTransaction(bytes, 1001);
      decodeContext(bytes);
    }),
  );
});

it("writes the context as JSON.stringify writes the reference context, and reads it back", () => {
  fc.assert(
    fc.property(owner, command, (l1owner, wanted) => {
      const encoder = new CommandEncoder({
        owner: l1owner,
        chainId: 1001,
        keccak256: crypto.keccak256,
      });
      const text = encoder.contextText(wanted);
      const spec = commands[commandRoutes[wanted.type].command];
      const decoded = decodeContext(commandData(spec.byte, text));
      assert(decoded.ok, decoded.ok ? "" : decoded.error);
      expect(decoded.value.name).toBe(spec.name);
      expect(JSON.stringify(spec.context.parse(decoded.value.context))).toBe(text);
      const { context } = decoded.value;
      expect(addressOf(context.l1owner)).toBe(l1owner);
      if (wanted.type === "place") {
        assert("price" in context, "an order context");
        expect(Number(context.price)).toBe(wanted.price);
        expect(fixed(context.quantity)).toBe(wanted.quantity);
        expect(`${context.baseToken}_${context.quoteToken}`).toBe(wanted.marketId);
        expect(context.side).toBe(wanted.side === "BUY" ? 0 : 1);
        expect(context.orderType).toBe(wanted.orderType === "LIMIT" ? 0 : 1);
        expect(context.orderMode).toBe(wanted.orderMode);
      }
    }),
  );
});

it("signs the same with a reused signer as with a new one each time", () => {
  fc.assert(
    fc.property(owner, fc.array(command, { minLength: 2, maxLength: 4 }), (l1owner, wanted) => {
      const fresh = () => new CommandSigner({ owner: l1owner, chainId: 1001, crypto, signer });
      const reused = fresh();
      for (const one of wanted) {
        const signed = reused.sign(one);
        expect(signed).toEqual(fresh().sign(one));
        const bytes = fromHex(signed.bytesHex);
        assert(bytes !== undefined, "hex");
        expect(signed.txHash).toBe(toHex(crypto.keccak256(bytes)));
      }
    }),
    { numRuns: 50 },
  );
});
