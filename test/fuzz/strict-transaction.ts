import { decodeRlp, encodeRlp, hexlify } from "ethers";

/** Reads a signed transaction by §4.4 and D5, with ethers. */

const CONTRACT = `0x${"0".repeat(38)}cc`;
const N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

export interface StrictTransaction {
  readonly nonce: number;
  readonly data: string;
}

/** Undefined when the venue must refuse it. */
export function strictTransaction(
  bytes: Uint8Array,
  chainId: number,
): StrictTransaction | undefined {
  let fields: unknown;
  try {
    fields = decodeRlp(bytes);
    // Encoding the value again shows whether it was in the shortest form.
    if (encodeRlp(fields as string[]) !== hexlify(bytes)) return undefined;
  } catch {
    return undefined;
  }
  if (!Array.isArray(fields) || fields.length !== 9) return undefined;
  if (!fields.every((field) => typeof field === "string")) return undefined;
  const [nonce = "", gasPrice, gasLimit = "", to, value, data = "", v = "", r = "", s = ""] =
    fields;
  const numbers = [nonce, gasLimit, v, r, s].map(integer);
  const [nonceOf, gas, vOf, rOf, sOf] = numbers;
  if (nonceOf === undefined || gas === undefined || vOf === undefined) return undefined;
  if (rOf === undefined || sOf === undefined) return undefined;
  const safe = BigInt(Number.MAX_SAFE_INTEGER);
  if (nonceOf > safe || gas > safe || gas < 21_000n) return undefined;
  if (gasPrice !== "0x" || value !== "0x" || to !== CONTRACT || data === "0x") return undefined;
  const protectedV = BigInt(chainId) * 2n + 35n;
  if (vOf !== protectedV && vOf !== protectedV + 1n) return undefined;
  if (rOf === 0n || rOf >= N || sOf === 0n || sOf > N / 2n) return undefined;
  return { nonce: Number(nonceOf), data };
}

/** A field as a number; undefined with leading zeros. */
function integer(field: string): bigint | undefined {
  if (field.startsWith("0x00")) return undefined;
  return field === "0x" ? 0n : BigInt(field);
}
