import type { BookSnapshot, DepthEvent, FlatLevels } from "../domain/depth.ts";
import type { MarketId } from "../domain/ids.ts";
import { unixMs, type UnixMs } from "../domain/time.ts";
import type { ChannelKind } from "../spec/channels.ts";
import { DECIMAL_TEXT_MAX, SNAPSHOT_LEVELS_MAX, TIME_MS_MAX } from "../spec/limits.ts";
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
/** The most numbers of a snapshot, both sides together; each side alone stays within what the reference codec reads. */
const SNAPSHOT_NUMBERS_MAX = 2 * SNAPSHOT_LEVELS_MAX;

const textEncoder = new TextEncoder();
const toLastUpdateId = textEncoder.encode('"lastUpdateId":');
const toBids = textEncoder.encode(',"bids":[');
const toAsks = textEncoder.encode(',"asks":[');
const toFirstId = textEncoder.encode(',"firstId":');
const toFinalId = textEncoder.encode(',"finalId":');
const toTime = textEncoder.encode(',"time":');
const end = textEncoder.encode("}}}");

interface Heads {
  readonly marketId: MarketId;
  readonly depth: Uint8Array;
  readonly snapshot: Uint8Array;
}

/** The two sides of a message, in the block of the scanner. */
interface Levels {
  readonly bids: FlatLevels;
  readonly asks: FlatLevels;
}

/**
 * Reads `depth@` and `depthSnapshot@` frames from bytes without making strings, several times as fast as JSON.parse. It knows only the
 * key order of §6.3, without spaces. For any other frame it returns undefined, and the reference codec (`spec/channels/`) reads it.
 * A test compares the two on every recorded frame.
 */
export class DepthScanner {
  readonly #markets: readonly Heads[];
  readonly #block = new NumberBlock();
  #bytes: Uint8Array = new Uint8Array();
  #at = 0;

  constructor(marketIds: readonly MarketId[]) {
    this.#markets = marketIds.map((marketId) => ({
      marketId,
      depth: textEncoder.encode(`${headOf("depth", marketId)}"bids":[`),
      snapshot: textEncoder.encode(headOf("depthSnapshot", marketId)),
    }));
  }

  /** The event of a frame; undefined when the frame is not a depth event of these markets in the expected form. */
  scan(bytes: Uint8Array): DepthEvent | undefined {
    this.#bytes = bytes;
    for (const { marketId, depth } of this.#markets) {
      this.#at = 0;
      if (this.#skip(depth)) return this.#event(marketId);
    }
    return undefined;
  }

  /** The snapshot of a frame; undefined when the frame is not a depth snapshot of these markets in the expected form. */
  scanSnapshot(bytes: Uint8Array): BookSnapshot | undefined {
    this.#bytes = bytes;
    for (const { marketId, snapshot } of this.#markets) {
      this.#at = 0;
      if (this.#skip(snapshot)) return this.#snapshot(marketId);
    }
    return undefined;
  }

  #event(marketId: MarketId): DepthEvent | undefined {
    return this.#reading(NUMBERS_MAX, (limit) => {
      const levels = this.#sides(limit);
      if (levels === undefined) return undefined;
      const firstId = this.#whole(toFirstId);
      const finalId = this.#whole(toFinalId);
      const timeMs = this.#time();
      if (firstId < 0 || finalId < 0 || timeMs === undefined) return undefined;
      return { marketId, firstId, finalId, timeMs, bids: levels.bids, asks: levels.asks };
    });
  }

  #snapshot(marketId: MarketId): BookSnapshot | undefined {
    return this.#reading(SNAPSHOT_NUMBERS_MAX, (limit) => {
      const lastId = this.#whole(toLastUpdateId);
      const levels = lastId >= 0 && this.#skip(toBids) ? this.#sides(limit) : undefined;
      const timeMs = levels && this.#time();
      if (levels === undefined || timeMs === undefined) return undefined;
      return { marketId, lastId, timeMs, bids: levels.bids, asks: levels.asks };
    });
  }

  /** Reads a message with at most `numbersMax` numbers into the block; one with more goes to the reference codec. */
  #reading<Message>(
    numbersMax: number,
    read: (limit: number) => Message | undefined,
  ): Message | undefined {
    const start = this.#block.begin(numbersMax);
    const message = read(start + numbersMax);
    if (message === undefined) this.#block.count = start;
    return message;
  }

  /** Both sides, after the opening bracket of the bids. */
  #sides(limit: number): Levels | undefined {
    const start = this.#block.count;
    if (!this.#levels(limit)) return undefined;
    const bidsEnd = this.#block.count;
    if (!this.#skip(toAsks) || !this.#levels(limit)) return undefined;
    const { numbers, count } = this.#block;
    return { bids: numbers.subarray(start, bidsEnd), asks: numbers.subarray(bidsEnd, count) };
  }

  /** The time, and then the end of the frame. */
  #time(): UnixMs | undefined {
    const time = this.#whole(toTime);
    const isWhole = time >= 0 && time <= TIME_MS_MAX && this.#skip(end);
    return isWhole && this.#at === this.#bytes.length ? unixMs(time) : undefined;
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

/** A frame of a channel up to the first field after the market. */
function headOf(channel: ChannelKind, marketId: MarketId): string {
  return `{"method":"subscription","params":{"channel":"${channel}@${marketId}","result":{"marketId":"${marketId}",`;
}

/** Reads a long number as the reference codec does, but slowly. */
function numberOf(bytes: Uint8Array, start: number, stop: number): number {
  let text = "";
  for (let at = start; at < stop; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return Number(text);
}
