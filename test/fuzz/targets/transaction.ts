import { encodeRlp } from "ethers";
import fc from "fast-check";
import { fromHex, toHex } from "../../../src/base/hex.ts";
import { loadCrypto } from "../../../src/platform/crypto.ts";
import { CONTRACT_ADDRESS, decodeTransaction } from "../../../src/spec/transaction.ts";
import { signedBytes } from "../../support/transaction-bytes.ts";
import { few, flip, flipped } from "../hostile.ts";
import { strictTransaction } from "../strict-transaction.ts";
import { defineTarget, Violation } from "../target.ts";

const CHAIN_ID = 1001;
const crypto = await loadCrypto();
const signer = crypto.signer(new Uint8Array(32).fill(9));

const number = fc.oneof(
  fc.constantFrom("0x", "0x01", "0x00", "0x7f", "0x80", "0x0001", "0x5208", "0x5207", "0x030000"),
  fc.constantFrom("0x1fffffffffffff", "0x20000000000000", "0x019b76daa800", "0x07f5", "0x07f6"),
  fc.uint8Array({ maxLength: 34 }).map(toHex),
);
const scalar = fc.oneof(
  fc.uint8Array({ minLength: 30, maxLength: 33 }).map(toHex),
  fc.constantFrom(
    "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
    "0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0",
    "0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1",
    "0x01",
    "0x",
  ),
);

/** Valid and invalid fields of a transaction, encoded as RLP with ethers; sometimes a list replaces a field. */
const made: fc.Arbitrary<Uint8Array> = fc
  .record({
    nonce: number,
    gasPrice: fc.oneof(
      { weight: 6, arbitrary: fc.constant("0x") },
      { weight: 1, arbitrary: number },
    ),
    gasLimit: fc.oneof(fc.constant("0x030000"), number),
    to: fc.oneof(
      { weight: 6, arbitrary: fc.constant(CONTRACT_ADDRESS) },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 21 }).map(toHex) },
    ),
    value: fc.oneof({ weight: 6, arbitrary: fc.constant("0x") }, { weight: 1, arbitrary: number }),
    data: fc.uint8Array({ maxLength: 300 }).map(toHex),
    v: fc.oneof(fc.constantFrom("0x07f5", "0x07f6", "0x1b", "0x25", "0x"), number),
    r: scalar,
    s: scalar,
  })
  .chain((fields) =>
    fc
      .tuple(
        fc.constant(Object.values(fields)),
        fc.oneof({ weight: 8, arbitrary: fc.constant(9) }, { weight: 1, arbitrary: fc.nat(11) }),
        fc.oneof({ weight: 12, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(8) }),
      )
      .map(([values, count, listAt]) => {
        const list: (string | string[])[] = [...values, "0x", "0x01"].slice(0, count);
        if (listAt >= 0 && listAt < list.length) list[listAt] = [values[0] ?? "0x"];
        return fromHex(encodeRlp(list)) ?? new Uint8Array();
      }),
  );

/** Correctly signed transactions. */
const signed: fc.Arbitrary<Uint8Array> = fc
  .record({
    chainId: fc.constantFrom(CHAIN_ID, CHAIN_ID, CHAIN_ID, 1, 8217),
    nonce: fc.oneof(fc.nat(300), fc.maxSafeNat()),
    gasLimit: fc.constantFrom(0x30000, 21_000, 20_999, 0),
    data: fc.uint8Array({ minLength: 1, maxLength: 120 }),
  })
  .map((transaction) => signedBytes(transaction, { signer, crypto }));

const inputs = fc
  .tuple(fc.oneof(made, signed, fc.uint8Array({ maxLength: 80 })), few(flip))
  .map(([bytes, flips]) => flipped(bytes, flips));

/** The transaction decoder accepts exactly what ethers' RLP and the rules of D5 accept. */
export const transactionTarget = defineTarget({
  name: "transactions",
  weight: 18,
  inputs,
  open: () => ({
    check: (bytes) => {
      const decoded = decodeTransaction(bytes, CHAIN_ID);
      const strict = strictTransaction(bytes, CHAIN_ID);
      if (decoded.ok && strict === undefined) throw new Violation("accepted-invalid", toHex(bytes));
      if (!decoded.ok && strict !== undefined) throw new Violation("refused-valid", decoded.error);
      if (!decoded.ok || strict === undefined) return "refused";
      const { nonce, data } = decoded.value;
      if (nonce !== strict.nonce || toHex(data) !== strict.data) {
        throw new Violation("wrong-answer", `nonce ${nonce}, data ${toHex(data)}`);
      }
      return "taken";
    },
  }),
});
