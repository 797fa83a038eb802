import type { DepthEvent, FlatLevels } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs } from "../domain/time.ts";
import { DECIMAL_TEXT_MAX, TIME_MS_MAX } from "../spec/limits.ts";
import { NUMBERS_MAX, NumberBlock } from "./number-block.ts";

const COMMA = 44;
const QUOTE = 34;
const OPEN = 91;
const CLOSE = 93;
const ZERO = 48;
/** Character code of the decimal point minus that of 0. */
const POINT = -2;

/** With up to 15 digits in total, an integer below 2^53 divided once by a power of ten gives the correctly rounded double. */
const DIGITS_MAX = 15;
/** Up to 9 digits fit a 32-bit integer, which keeps the loops fast. */
const PART_DIGITS_MAX = 9;

const powers = Float64Array.from({ length: DIGITS_MAX + 1 }, (_, exponent) =>
  Number(`1e${exponent}`),
);
const textEncoder = new TextEncoder();
const toAsks = textEncoder.encode(',"asks":[');
const toFirstId = textEncoder.encode(',"firstId":');
const toFinalId = textEncoder.encode(',"finalId":');
const toTime = textEncoder.encode(',"time":');
const end = textEncoder.encode("}}}");

/**
 * Reads `depth@` frames from bytes without making strings, several times as fast as JSON.parse. It knows only the key order of
 * §6.3, without spaces. For any other frame it returns undefined, and the reference codec (`spec/channels/depth.ts`) reads it.
 * A test compares the two on every recorded frame.
 */
export class DepthScanner {
  readonly #markets: readonly { readonly marketId: MarketId; readonly head: Uint8Array }[];
  readonly #block = new NumberBlock();
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(marketIds: readonly MarketId[]) {
    this.#markets = marketIds.map((marketId) => ({
      marketId,
      head: textEncoder.encode(
        `{"method":"subscription","params":{"channel":"depth@${marketId}","result":{"marketId":"${marketId}","bids":[`,
      ),
    }));
  }

  /** The event of a frame; undefined when the frame is no depth event of these markets in the expected form. */
  scan(bytes: Uint8Array): DepthEvent | undefined {
    this.#bytes = bytes;
    for (const { marketId, head } of this.#markets) {
      this.#at = 0;
      if (this.#skip(head)) return this.#event(marketId);
    }
    return undefined;
  }

  #event(marketId: MarketId): DepthEvent | undefined {
    // A frame with more numbers goes to the reference codec.
    const start = this.#block.begin(NUMBERS_MAX);
    const event = this.#eventFrom(marketId, start);
    if (event === undefined) this.#block.count = start;
    return event;
  }

  #eventFrom(marketId: MarketId, start: number): DepthEvent | undefined {
    const limit = start + NUMBERS_MAX;
    if (!this.#levels(limit)) return undefined;
    const bidsEnd = this.#block.count;
    if (!this.#skip(toAsks) || !this.#levels(limit)) return undefined;
    const firstId = this.#whole(toFirstId);
    const finalId = this.#whole(toFinalId);
    const time = this.#whole(toTime);
    if (firstId < 0 || finalId < 0 || time < 0 || time > TIME_MS_MAX) return undefined;
    if (!this.#skip(end) || this.#at !== this.#bytes.length) return undefined;
    const { numbers, count } = this.#block;
    const bids: FlatLevels = numbers.subarray(start, bidsEnd);
    const asks: FlatLevels = numbers.subarray(bidsEnd, count);
    return { marketId, firstId, finalId, timeMs: unixMs(time), bids, asks };
  }

  /** Moves past `expected`; false when the bytes differ. */
  #skip(expected: Uint8Array): boolean {
    const bytes = this.#bytes;
    const from = this.#at;
    for (let at = 0; at < expected.length; at += 1) {
      if (bytes[from + at] !== expected[at]) return false;
    }
    this.#at = from + expected.length;
    return true;
  }

  /** Reads `key` and the whole number after it; -1 when either is missing or the number has leading zeros or too many digits. */
  #whole(key: Uint8Array): number {
    if (!this.#skip(key)) return -1;
    const bytes = this.#bytes;
    const start = this.#at;
    let value = 0;
    let at = start;
    for (;;) {
      const digit = (bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      at += 1;
    }
    this.#at = at;
    const digits = at - start;
    const isPadded = digits > 1 && bytes[start] === ZERO;
    return digits === 0 || digits > DIGITS_MAX || isPadded ? -1 : value;
  }

  /**
   * Reads `["p","q"],["p","q"]]`, after the opening bracket of the list, into the block. Most of a frame's time goes here, so
   * it is one loop over local variables.
   */
  #levels(limit: number): boolean {
    const bytes = this.#bytes;
    const { numbers } = this.#block;
    let at = this.#at | 0;
    let count = this.#block.count | 0;
    if (bytes[at] === CLOSE) {
      this.#at = at + 1;
      return true;
    }
    if (bytes[at] !== OPEN) return false;
    for (;;) {
      // At the bracket or the comma before a quoted number.
      if (bytes[at + 1] !== QUOTE || count >= limit) return false;
      const start = (at + 2) | 0;
      at = start;
      let whole = 0;
      let digit = ((bytes[at] ?? 0) - ZERO) | 0;
      while (digit >= 0 && digit <= 9) {
        whole = (Math.imul(whole, 10) + digit) | 0;
        at = (at + 1) | 0;
        digit = ((bytes[at] ?? 0) - ZERO) | 0;
      }
      const wholeDigits = (at - start) | 0;
      let fraction = 0;
      let decimals = 0;
      if (digit === POINT) {
        const point = at;
        at = (at + 1) | 0;
        digit = ((bytes[at] ?? 0) - ZERO) | 0;
        while (digit >= 0 && digit <= 9) {
          fraction = (Math.imul(fraction, 10) + digit) | 0;
          at = (at + 1) | 0;
          digit = ((bytes[at] ?? 0) - ZERO) | 0;
        }
        decimals = (at - point - 1) | 0;
        if (decimals === 0) return false;
      }
      if (wholeDigits === 0 || bytes[at] !== QUOTE) return false;
      if (decimals === 0 && wholeDigits <= PART_DIGITS_MAX) numbers[count] = whole;
      else if (
        wholeDigits <= PART_DIGITS_MAX &&
        decimals <= PART_DIGITS_MAX &&
        wholeDigits + decimals <= DIGITS_MAX
      ) {
        const power = powers[decimals] ?? 1;
        numbers[count] = (whole * power + fraction) / power;
      } else if (at - start > DECIMAL_TEXT_MAX) return false;
      else numbers[count] = numberOf(bytes, start, at);
      count = (count + 1) | 0;
      at = (at + 1) | 0;
      if ((count & 1) === 1) {
        if (bytes[at] !== COMMA) return false;
        continue;
      }
      if (bytes[at] !== CLOSE) return false;
      const next = bytes[at + 1];
      at = (at + 2) | 0;
      if (next === CLOSE) break;
      if (next !== COMMA || bytes[at] !== OPEN) return false;
    }
    this.#at = at;
    this.#block.count = count;
    return true;
  }
}

/** Reads a long number as the reference codec does, but slowly. */
function numberOf(bytes: Uint8Array, start: number, stop: number): number {
  let text = "";
  for (let at = start; at < stop; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return Number(text);
}
