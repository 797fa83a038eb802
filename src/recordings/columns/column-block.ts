import { TouchlineError } from "../../base/error.ts";
import type { FlatLevels } from "../../domain/depth.ts";
import { ByteReader, unzigzag } from "./byte-reader.ts";
import { type LevelSide, levelSide, type OrderIds } from "./column-event.ts";
import { type DecimalStep, scaleOf } from "./decimal-grid.ts";
import {
  BUYER_MAKER_BIT,
  eventKind,
  KIND_MASK,
  levelOrder,
  ORDER_IDS_BIT,
  RAW_BIT,
  TEXT_BIT,
} from "./event-kind.ts";

/** A price and a quantity as they are. */
const RAW_LEVEL_BYTES = 16;

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function forged(): TouchlineError {
  return new TouchlineError(
    "RECORDING_INVALID",
    "The recording's compiled form was not written by this program: a block claims more than it has.",
    { hint: "Delete the recording's folder `compiled`; it is built again from the text." },
  );
}

interface TradeTexts {
  readonly tradeId: string;
  readonly orderIds: OrderIds | undefined;
}

/**
 * A decoded block: one array per column, indexed by event from 0 to `count` - 1, and by level. The arrays are used again for the next
 * block, and may be longer than `count`.
 */
export class ColumnBlock {
  count = 0;
  /** `eventKind` of each event. */
  kinds = new Uint8Array();
  /** Time of receipt, Unix milliseconds with a fraction. */
  atMs = new Float64Array();
  /** Exchange time, Unix milliseconds; 0 for a gap. */
  timeMs = new Float64Array();
  /** Of a depth event. A book has its `lastId` in both. */
  firstId = new Float64Array();
  finalId = new Float64Array();
  /** 1 where the buyer of a trade was the maker. */
  isBuyerMaker = new Uint8Array();
  /**
   * Bids of event `n` are the levels from `levelFrom[n]` to `asksFrom[n]`, asks those to `levelFrom[n + 1]`, ends excluded. A trade is one
   * level, from `levelFrom[n]`.
   */
  levelFrom = new Uint32Array(1);
  asksFrom = new Uint32Array();
  /** Price and absolute quantity of each level, in pairs; a quantity of 0 removes the level. */
  levels: FlatLevels = new Float64Array();
  readonly #keepsLevels: boolean;
  readonly #in = {
    head: new ByteReader(),
    kinds: new ByteReader(),
    times: new ByteReader(),
    ids: new ByteReader(),
    prices: new ByteReader(),
    quantities: new ByteReader(),
    raw: new ByteReader(),
    texts: new ByteReader(),
  };
  readonly #last = { ticks: new Float64Array(3), ids: new Float64Array(3) };
  /** Ids of trades as numbers, three per event. */
  #tradeIds = new Float64Array();
  readonly #texts = new Map<number, TradeTexts>();
  #level = 0;
  #tick: DecimalStep = { decimals: 0, units: 1 };
  #lot: DecimalStep = { decimals: 0, units: 1 };

  /** `keepsLevels`: `levels` is a new array in each block, so that parts of it stay as they are. */
  constructor({ keepsLevels = false }: { readonly keepsLevels?: boolean } = {}) {
    this.#keepsLevels = keepsLevels;
  }

  /** Id of a trade. */
  tradeId(event: number): string {
    return this.#texts.get(event)?.tradeId ?? String(this.#tradeIds[3 * event]);
  }

  /** Ids of the two orders of a trade, where the source had them. */
  orderIds(event: number): OrderIds | undefined {
    const texts = this.#texts.get(event);
    if (texts !== undefined) return texts.orderIds;
    const buy = this.#tradeIds[3 * event + 1] ?? Number.NaN;
    if (Number.isNaN(buy)) return undefined;
    return { buy: String(buy), sell: String(this.#tradeIds[3 * event + 2]) };
  }

  price(level: number): number {
    return this.levels[2 * level] ?? 0;
  }

  quantity(level: number): number {
    return this.levels[2 * level + 1] ?? 0;
  }

  /** The levels from one to the other, end excluded, as a part of `levels`. */
  flatLevels(from: number, to: number): FlatLevels {
    return this.levels.subarray(2 * from, 2 * to);
  }

  /** Decodes the bytes of a block whose checksum is right. Throws TouchlineError `RECORDING_INVALID` when its counts are not. */
  decode(bytes: Uint8Array): void {
    const { head } = this.#in;
    head.open(bytes);
    const count = head.whole();
    const levelCount = head.whole();
    this.#tick = { decimals: head.whole(), units: head.whole() };
    this.#lot = { decimals: head.whole(), units: head.whole() };
    const timeUs = head.whole();
    const { kinds, times, ids, prices, quantities, raw, texts } = this.#in;
    const columns = [kinds, times, ids, prices, quantities, raw, texts];
    const sizes = columns.map(() => head.whole());
    const [kindBytes = 0, , , priceBytes = 0, , rawBytes = 0] = sizes;
    // An event has a byte of its kind, a level one of its price or two raw numbers, so that nobody can claim more than is there.
    const isPossible = count === kindBytes && levelCount <= priceBytes + rawBytes / RAW_LEVEL_BYTES;
    if (!isPossible || sum(sizes) > bytes.length) throw forged();
    this.#reserve(count, levelCount);
    for (const [at, column] of columns.entries()) column.open(head.bytes(sizes[at] ?? 0));
    this.#last.ticks.fill(0);
    this.#last.ids.fill(0);
    this.#texts.clear();
    this.#level = 0;
    this.count = count;
    this.#events(timeUs);
  }

  #events(timeUs: number): void {
    const { kinds, times, ids } = this.#in;
    let lastUs = 0;
    let skew = 0;
    let lastId = 0;
    for (let at = 0; at < this.count; at += 1) {
      const bits = kinds.byte();
      const kind = bits & KIND_MASK;
      this.kinds[at] = kind;
      this.isBuyerMaker[at] = (bits & BUYER_MAKER_BIT) === 0 ? 0 : 1;
      this.levelFrom[at] = this.#level;
      const isTrade = kind === eventKind.trade || kind === eventKind.hiddenTrade;
      if ((bits & RAW_BIT) !== 0) {
        this.#raw(at, isTrade);
        continue;
      }
      lastUs += times.signed();
      this.atMs[at] = lastUs / 1000;
      this.firstId[at] = 0;
      this.finalId[at] = 0;
      this.timeMs[at] = 0;
      if (kind !== eventKind.gap) {
        skew += times.signed();
        this.timeMs[at] = ((Math.floor(lastUs / timeUs) + skew) * timeUs) / 1000;
        if (isTrade) {
          if ((bits & TEXT_BIT) === 0) this.#numberIds(at, (bits & ORDER_IDS_BIT) !== 0);
          else this.#textIds(at);
          this.#levels(levelSide.trade, 1, levelOrder.mixed);
        } else {
          const firstId = ids.signed() + lastId + 1;
          lastId = kind === eventKind.depth ? firstId + ids.signed() : firstId;
          this.firstId[at] = firstId;
          this.finalId[at] = lastId;
          this.#side(levelSide.bids);
          this.asksFrom[at] = this.#level;
          this.#side(levelSide.asks);
          continue;
        }
      }
      this.asksFrom[at] = this.#level;
    }
    this.levelFrom[this.count] = this.#level;
  }

  #side(side: LevelSide): void {
    const coded = this.#in.ids.whole();
    this.#levels(side, Math.floor(coded / 4), coded & 3);
  }

  #levels(side: LevelSide, count: number, order: number): void {
    const { levels } = this;
    const { prices: priceBytes, quantities: quantityBytes } = this.#in;
    const { units } = this.#tick;
    const scale = scaleOf(this.#tick);
    const lotUnits = this.#lot.units;
    const lotScale = scaleOf(this.#lot);
    const forward = (side === levelSide.bids) === (order === levelOrder.inward) ? 1 : -1;
    let last = this.#last.ticks[side] ?? 0;
    let level = this.#level;
    const end = level + count;
    if (2 * end > levels.length) throw forged();
    for (let isFirst = true; level < end; level += 1) {
      const coded = priceBytes.whole();
      const isGone = (coded & 1) === 1;
      const moved = coded < 2 ** 31 ? coded >>> 1 : Math.floor(coded / 2);
      last += isFirst || order === levelOrder.mixed ? unzigzag(moved) : forward * (moved + 1);
      if (isFirst) this.#last.ticks[side] = last;
      isFirst = false;
      levels[2 * level] = (last * units) / scale;
      levels[2 * level + 1] = isGone ? 0 : (quantityBytes.whole() * lotUnits) / lotScale;
    }
    this.#level = level;
  }

  #numberIds(event: number, hasOrders: boolean): void {
    const { ids } = this.#in;
    const last = this.#last.ids;
    const count = hasOrders ? 3 : 1;
    for (let at = 0; at < 3; at += 1) {
      let id = Number.NaN;
      if (at < count) {
        id = ids.signed() + (last[at] ?? 0) + 1;
        last[at] = id;
      }
      this.#tradeIds[3 * event + at] = id;
    }
  }

  #textIds(event: number): void {
    const { texts } = this.#in;
    const tradeId = texts.text();
    const buy = texts.byte() === 1 ? texts.text() : undefined;
    const sell = texts.byte() === 1 ? texts.text() : undefined;
    const hasOrders = buy !== undefined || sell !== undefined;
    this.#texts.set(event, { tradeId, orderIds: hasOrders ? { buy, sell } : undefined });
  }

  #raw(event: number, isTrade: boolean): void {
    const { raw, ids } = this.#in;
    this.atMs[event] = raw.double();
    this.timeMs[event] = raw.double();
    this.firstId[event] = raw.double();
    this.finalId[event] = raw.double();
    if (isTrade) this.#textIds(event);
    const isGap = this.kinds[event] === eventKind.gap;
    this.#rawLevels(isTrade ? 1 : isGap ? 0 : ids.whole());
    this.asksFrom[event] = this.#level;
    if (!isTrade && !isGap) this.#rawLevels(ids.whole());
  }

  #rawLevels(count: number): void {
    const { raw } = this.#in;
    if (2 * (this.#level + count) > this.levels.length) throw forged();
    for (let at = 0; at < count; at += 1) {
      this.levels[2 * this.#level] = raw.double();
      this.levels[2 * this.#level + 1] = raw.double();
      this.#level += 1;
    }
  }

  /** Makes room; the content is lost. */
  #reserve(events: number, levels: number): void {
    if (this.kinds.length < events) {
      this.kinds = new Uint8Array(events);
      this.isBuyerMaker = new Uint8Array(events);
      this.atMs = new Float64Array(events);
      this.timeMs = new Float64Array(events);
      this.firstId = new Float64Array(events);
      this.finalId = new Float64Array(events);
      this.levelFrom = new Uint32Array(events + 1);
      this.asksFrom = new Uint32Array(events);
      this.#tradeIds = new Float64Array(3 * events);
    }
    if (this.#keepsLevels || this.levels.length < 2 * levels) {
      this.levels = new Float64Array(2 * levels);
    }
  }
}
