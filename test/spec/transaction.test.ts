import { describe, expect, it } from "vitest";
import { assert } from "../../src/base/assert.ts";
import { commandData, CONTRACT_ADDRESS, decodeTransaction } from "../../src/spec/transaction.ts";
import { encodeSigned, encodeUnsigned } from "../support/transaction-bytes.ts";

/** A second, plain RLP encoder, so that faults can be put in field by field. */
function rlp(item: readonly number[] | readonly (readonly number[])[]): number[] {
  const isList = Array.isArray(item[0]);
  const payload = isList
    ? (item as readonly (readonly number[])[]).flatMap((field) => rlp(field))
    : [...(item as readonly number[])];
  if (!isList && payload.length === 1 && (payload[0] ?? 0) < 0x80) return payload;
  return [...header(payload.length, isList ? 0xc0 : 0x80), ...payload];
}

function header(length: number, base: number): number[] {
  if (length <= 55) return [base + length];
  const digits = length < 256 ? [length] : [length >> 8, length & 255];
  return [base + 55 + digits.length, ...digits];
}

const address = [...Array<number>(19).fill(0), 0xcc];
const r = Array<number>(32).fill(0x11);
const s = Array<number>(32).fill(0x22);
const hex = (text: string): number[] => [...Buffer.from(text, "hex")];
const n = hex(`${"ff".repeat(15)}febaaedce6af48a03bbfd25e8cd0364141`);
const halfN = hex(`7f${"ff".repeat(15)}5d576e7357a4501ddfe92f46681b20a0`);
/** v on chain 1001: 2037 and 2038. */
const v = [0x07, 0xf5];
const good = {
  nonce: [0x01, 0x9b, 0x76, 0xda, 0xa8, 0x00],
  gasPrice: [] as number[],
  gasLimit: [0x03, 0x00, 0x00],
  to: address,
  value: [] as number[],
  data: [0x23, 0x7b, 0x7d],
  v,
  r,
  s,
};

function raw(fields: Partial<typeof good> = {}): Uint8Array {
  return Uint8Array.from(rlp(Object.values({ ...good, ...fields })));
}

function problem(bytes: Uint8Array): string {
  const decoded = decodeTransaction(bytes, 1001);
  assert(!decoded.ok, "a refusal");
  return decoded.error;
}

describe("decodeTransaction", () => {
  it("reads a valid transaction", () => {
    const decoded = decodeTransaction(raw(), 1001);
    assert(decoded.ok, "a transaction");
    expect(decoded.value).toMatchObject({
      chainId: 1001,
      nonce: 1_767_225_600_000,
      gasLimit: 0x30000,
      data: Uint8Array.from(good.data),
      signature: { rs: Uint8Array.from([...r, ...s]), recovery: 0 },
    });
    const unsigned = rlp([...Object.values(good).slice(0, 6), [0x03, 0xe9], [], []]);
    expect([...decoded.value.unsigned]).toEqual(unsigned);
    expect([...encodeSigned(decoded.value, decoded.value.signature)]).toEqual([...raw()]);
  });

  it("accepts the edges: nonce 0, gas limit 21000, a data byte below 0x80, the other recovery id, short r, s of n / 2", () => {
    for (const fields of [
      { nonce: [] },
      { gasLimit: [0x52, 0x08] },
      { data: [0x23] },
      { v: [0x07, 0xf6] },
      { r: r.slice(4) },
      { s: halfN },
      { r: [...n.slice(0, 31), 0x40] },
    ]) {
      expect(decodeTransaction(raw(fields), 1001).ok).toBe(true);
    }
  });

  it.each([
    ["another to", { to: [...address.slice(0, 19), 0xcd] }, /^tx: to is not 0x0+cc$/],
    ["a short to", { to: address.slice(1) }, /^tx: to is not/],
    ["no to", { to: [] }, /^tx: to is not/],
    ["a value", { value: [1] }, /^tx: value is not 0$/],
    ["a gas price", { gasPrice: [1] }, /^tx: gasPrice is not 0$/],
    ["too little gas", { gasLimit: [0x52, 0x07] }, /^tx: gasLimit is below 21000$/],
    ["no gas", { gasLimit: [] }, /^tx: gasLimit is below 21000$/],
    [
      "an enormous gas limit",
      { gasLimit: Array<number>(8).fill(255) },
      /^tx: gasLimit is too large$/,
    ],
    ["a nonce with leading zeros", { nonce: [0, 1] }, /^tx: nonce has leading zeros$/],
    ["a nonce of one zero byte", { nonce: [0] }, /^tx: nonce has leading zeros$/],
    ["a nonce of 2^53", { nonce: [0x20, 0, 0, 0, 0, 0, 0] }, /^tx: nonce is too large$/],
    ["no data", { data: [] }, /^tx: data is empty/],
    ["another chain", { v: [0x07, 0xf3] }, /^tx is signed for chain id 1000, not 1001$/],
    ["no EIP-155", { v: [27] }, /^tx: v has no chain id/],
    ["v 0", { v: [] }, /^tx: v has no chain id/],
    ["v with leading zeros", { v: [0, ...v] }, /^tx: v has leading zeros$/],
    ["s above n / 2", { s: [...halfN.slice(0, 31), 0xa1] }, /s is high$/],
    ["s of n", { s: n }, /out of range/],
    ["s of 0", { s: [] }, /out of range/],
    ["r of n", { r: n }, /out of range/],
    ["r of 0", { r: [] }, /out of range/],
    ["r with leading zeros", { r: [0, ...r.slice(1)] }, /leading zeros/],
    ["a long r", { r: [1, ...r] }, /longer than 32 bytes/],
  ])("refuses %s", (_, fields, message) => {
    expect(problem(raw(fields))).toMatch(message);
  });
});

describe("TransactionWriter", () => {
  it("agrees with the plain encoder at every length where a header changes", () => {
    for (const length of [1, 2, 54, 55, 56, 57, 200, 254, 255, 256, 257, 70_000]) {
      const data = new Uint8Array(length).fill(0x7b);
      const bytes = encodeUnsigned({ chainId: 1001, nonce: 7, gasLimit: 0x30000, data });
      if (length > 65_535) expect(bytes.length).toBeGreaterThan(length);
      else {
        const fields = [[7], [], [3, 0, 0], address, [], [...data], [0x03, 0xe9], [], []];
        expect([...bytes]).toEqual(rlp(fields));
      }
    }
  });

  it("asserts a nonce and a chain id that can be encoded", () => {
    const data = commandData(0x23, "{}");
    for (const nonce of [-1, 0.5, 2 ** 53, Number.NaN]) {
      expect(() => encodeUnsigned({ chainId: 1, nonce, gasLimit: 21_000, data })).toThrow(
        "a nonce",
      );
    }
    for (const chainId of [0, -1, 1.5, 2 ** 53]) {
      expect(() => encodeUnsigned({ chainId, nonce: 1, gasLimit: 21_000, data })).toThrow(
        "a chain id",
      );
    }
    expect(CONTRACT_ADDRESS).toMatch(/^0x0{38}cc$/);
  });
});
