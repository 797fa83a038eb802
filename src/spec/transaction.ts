import { assert } from "../base/assert.ts";
import { fromHex } from "../base/hex.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isCanonicalSignature } from "./curve-order.ts";
import { transactionLimits } from "./limits.ts";
import { integerOf, readFlatList, writeHeader } from "./rlp.ts";
import { headerLength, writeBigEndian, writeBytes, writeInteger } from "./rlp.ts";

/**
 * Transactions to the venue. Every change of state is a legacy (type 0) transaction with EIP-155 replay protection, sent to a
 * fixed address with value and gas price 0; `data` is the command byte followed by the JSON context (§4.4, D5).
 */

/** The fixed contract address (§4.4). */
export const CONTRACT_ADDRESS = "0x00000000000000000000000000000000000000cc";
const contract = fromHex(CONTRACT_ADDRESS) ?? new Uint8Array();

/** The variable parts of a transaction to the venue. */
export interface CommandTransaction {
  readonly chainId: number;
  /** Below 2^53. */
  readonly nonce: number;
  readonly gasLimit: number;
  /** Command byte, then the context as UTF-8. */
  readonly data: Uint8Array;
}

/** A signature as the Crypto port makes it. */
export interface TransactionSignature {
  /** r ‖ s, 64 bytes, with low s. */
  readonly rs: Uint8Array;
  readonly recovery: 0 | 1;
}

export type Keccak256 = (bytes: Uint8Array) => Uint8Array;

const utf8 = new TextEncoder();

/** `data` of a transaction: the command byte followed by the context's text. */
export function commandData(byte: number, contextText: string): Uint8Array {
  const text = utf8.encode(contextText);
  const data = new Uint8Array(1 + text.length);
  data[0] = byte;
  data.set(text, 1);
  return data;
}

/** Space before the fields for the list's header. */
const HEADER_ROOM = 8;
/** Maximum length of everything around `data`: headers, nonce, gas limit, address, v, r and s. */
const OVERHEAD = 160;

/**
 * Encodes transactions one after another into the same buffer. The signed and the unsigned form share their first six fields,
 * which `body` writes for both. `unsigned` and `signed` return a view that the next call overwrites.
 */
export class TransactionWriter {
  #bytes: Uint8Array;
  #bodyEnd = HEADER_ROOM;

  constructor(dataLength = 1024) {
    this.#bytes = new Uint8Array(HEADER_ROOM + OVERHEAD + dataLength);
  }

  body(nonce: number, gasLimit: number, data: Uint8Array): void {
    const at = this.#untilData(nonce, gasLimit, data.length);
    this.#bodyEnd = writeBytes(this.#bytes, at, data);
  }

  /** As `body` with `commandData(byte, contextText)`, but encodes the text in place, since this is on the order path. */
  commandBody(nonce: number, gasLimit: number, byte: number, contextText: string): void {
    const { length } = contextText;
    assert(length > 0, "a context");
    let at = this.#untilData(nonce, gasLimit, 1 + length);
    at = writeHeader(this.#bytes, at, 0x80, 1 + length);
    this.#bytes[at] = byte;
    at += 1;
    const { written } = utf8.encodeInto(contextText, this.#bytes.subarray(at));
    this.#bodyEnd = at + length;
    // The text is not ASCII, so the header's length was wrong. No known market id needs this.
    if (written !== length) this.body(nonce, gasLimit, commandData(byte, contextText));
  }

  /** Writes the fields before `data`, grows the buffer if needed, and returns the position of `data`. */
  #untilData(nonce: number, gasLimit: number, dataLength: number): number {
    assert(Number.isSafeInteger(nonce) && nonce >= 0, "a nonce from 0 to 2^53 - 1");
    assert(Number.isSafeInteger(gasLimit) && gasLimit >= 0, "a gas limit from 0 to 2^53 - 1");
    if (this.#bytes.length < HEADER_ROOM + OVERHEAD + dataLength) {
      this.#bytes = new Uint8Array(HEADER_ROOM + OVERHEAD + dataLength);
    }
    const bytes = this.#bytes;
    let at = writeInteger(bytes, HEADER_ROOM, nonce);
    at = writeInteger(bytes, at, 0);
    at = writeInteger(bytes, at, gasLimit);
    at = writeBytes(bytes, at, contract);
    return writeInteger(bytes, at, 0);
  }

  unsigned(chainId: number): Uint8Array {
    assertChainId(chainId);
    let at = writeInteger(this.#bytes, this.#bodyEnd, chainId);
    at = writeInteger(this.#bytes, at, 0);
    at = writeInteger(this.#bytes, at, 0);
    return this.#list(at);
  }

  signed(chainId: number, signature: TransactionSignature): Uint8Array {
    assertChainId(chainId);
    assert(signature.rs.length === 64, "a signature of 64 bytes");
    const v = chainId * 2 + 35 + signature.recovery;
    let at = writeInteger(this.#bytes, this.#bodyEnd, v);
    at = writeBigEndian(this.#bytes, at, signature.rs, 0, 32);
    at = writeBigEndian(this.#bytes, at, signature.rs, 32, 64);
    return this.#list(at);
  }

  /** Writes the header directly before the fields, which end at `end`. */
  #list(end: number): Uint8Array {
    const length = end - HEADER_ROOM;
    const start = HEADER_ROOM - headerLength(length);
    writeHeader(this.#bytes, start, 0xc0, length);
    return this.#bytes.subarray(start, end);
  }
}

/** v = 2 × chain id + 36 must stay a safe integer. */
const CHAIN_ID_MAX = 4_503_599_627_370_477;

function assertChainId(chainId: number): void {
  assert(
    Number.isInteger(chainId) && chainId > 0 && chainId <= CHAIN_ID_MAX,
    "a chain id from 1 to about 2^52",
  );
}

/** A transaction of valid form whose signer has not been recovered yet. */
export interface DecodedTransaction extends CommandTransaction {
  readonly signature: TransactionSignature;
  /** The signed bytes: `keccak256` of them is the digest from which the signer is recovered. */
  readonly unsigned: Uint8Array;
}

/**
 * Decodes a signed transaction and checks D5: canonical RLP with nothing after it, the fixed `to`, value and gas price 0, a gas limit
 * of at least 21000, EIP-155 on this chain, r and s in range and s low. The error is one sentence for `errMsg`.
 */
export function decodeTransaction(
  bytes: Uint8Array,
  chainId: number,
): Result<DecodedTransaction, string> {
  const list = readFlatList(bytes);
  if (!list.ok) return err(`tx ${list.error}`);
  const [nonce, gasPrice, gasLimit, to, value, data, v, r, s, ...more] = list.value;
  if (
    nonce === undefined ||
    gasPrice === undefined ||
    gasLimit === undefined ||
    to === undefined ||
    value === undefined ||
    data === undefined ||
    v === undefined ||
    r === undefined ||
    s === undefined ||
    more.length > 0
  ) {
    return err(`tx has ${list.value.length} fields, a legacy transaction has 9`);
  }
  const nonceValue = integerOf(nonce);
  if (!nonceValue.ok) return err(`tx: nonce ${nonceValue.error}`);
  if (gasPrice.length > 0) return err("tx: gasPrice is not 0");
  const gas = integerOf(gasLimit);
  if (!gas.ok) return err(`tx: gasLimit ${gas.error}`);
  if (gas.value < transactionLimits.gasLimitMin) {
    return err(`tx: gasLimit is below ${transactionLimits.gasLimitMin}`);
  }
  if (to.length !== contract.length || to.some((byte, at) => byte !== contract[at])) {
    return err(`tx: to is not ${CONTRACT_ADDRESS}`);
  }
  if (value.length > 0) return err("tx: value is not 0");
  if (data.length === 0) return err("tx: data is empty, it needs a command byte and a context");
  const recovery = recoveryOf(v, chainId);
  if (!recovery.ok) return recovery;
  const signature = signatureOf(r, s, recovery.value);
  if (!signature.ok) return signature;
  const transaction = { chainId, nonce: nonceValue.value, gasLimit: gas.value, data };
  // The encoding is canonical, so encoding the fields again reproduces the signed bytes.
  unsignedWriter.body(transaction.nonce, transaction.gasLimit, data);
  const unsigned = unsignedWriter.unsigned(chainId).slice();
  return ok({ ...transaction, signature: signature.value, unsigned });
}

/** Shared by all decoded transactions. */
const unsignedWriter = new TransactionWriter();

function recoveryOf(v: Uint8Array, chainId: number): Result<0 | 1, string> {
  const value = integerOf(v);
  if (!value.ok) return err(`tx: v ${value.error}`);
  const protectedFrom = chainId * 2 + 35;
  if (value.value === protectedFrom) return ok(0);
  if (value.value === protectedFrom + 1) return ok(1);
  if (value.value < 35) return err("tx: v has no chain id, EIP-155 replay protection is required");
  return err(`tx is signed for chain id ${Math.floor((value.value - 35) / 2)}, not ${chainId}`);
}

function signatureOf(
  r: Uint8Array,
  s: Uint8Array,
  recovery: 0 | 1,
): Result<TransactionSignature, string> {
  if (r[0] === 0 || s[0] === 0) return err("tx: r or s has leading zeros");
  if (r.length > 32 || s.length > 32) return err("tx: r or s is longer than 32 bytes");
  const rs = new Uint8Array(64);
  rs.set(r, 32 - r.length);
  rs.set(s, 64 - s.length);
  if (!isCanonicalSignature(rs)) return err("tx: r or s is out of range or s is high");
  return ok({ rs, recovery });
}
