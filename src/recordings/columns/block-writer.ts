import type { FlatLevels } from "../../domain/depth.ts";
import { type BlockUnits, blockUnits } from "./block-units.ts";
import { ByteWriter, zigzag } from "./byte-writer.ts";
import {
  type ColumnEvent,
  type ColumnStep,
  columnEvent,
  type LevelGroup,
  levelSide,
  type OrderIds,
} from "./column-event.ts";
import { scaleOf } from "./decimal-grid.ts";
import {
  BUYER_MAKER_BIT,
  eventKind,
  levelOrder,
  ORDER_IDS_BIT,
  RAW_BIT,
  TEXT_BIT,
} from "./event-kind.ts";

/** A block ends after this many levels or events; a single event is never split. */
const LEVELS = 16_384;
const EVENTS = 8_192;
const plainId = /^(0|[1-9]\d{0,14})$/;

/** A block of events as bytes. It can be read without the blocks before it. */
export interface WrittenBlock {
  readonly bytes: Uint8Array;
  /** Time of receipt of its last event. */
  readonly endMs: number;
  /** Levels of its events; a trade counts as one. */
  readonly levels: number;
}

/** Collects one market's events and encodes them as blocks (docs/recordings.md, "The compiled form"). */
export class BlockWriter {
  readonly #columns = {
    kinds: new ByteWriter(),
    times: new ByteWriter(),
    ids: new ByteWriter(),
    prices: new ByteWriter(),
    quantities: new ByteWriter(),
    raw: new ByteWriter(),
    texts: new ByteWriter(),
  };
  #events: ColumnEvent[] = [];
  #levels = 0;
  #units: BlockUnits = blockUnits([]);
  #last = beforeBlock();

  /** `orderIds`: of a trade, where the source has them. */
  add(step: ColumnStep, orderIds?: OrderIds): void {
    const event = columnEvent(step, orderIds);
    this.#events.push(event);
    for (const { levels } of event.groups) this.#levels += levels.length / 2;
  }

  get isFull(): boolean {
    return this.#levels >= LEVELS || this.#events.length >= EVENTS;
  }

  /** Encodes the events added since the last call; undefined when there are none. */
  take(): WrittenBlock | undefined {
    const events = this.#events;
    const levels = this.#levels;
    if (events.length === 0) return undefined;
    this.#events = [];
    this.#levels = 0;
    this.#last = beforeBlock();
    this.#units = blockUnits(events);
    for (const column of Object.values(this.#columns)) column.clear();
    for (const event of events) {
      if (this.#units.raw.has(event)) this.#putRaw(event);
      else this.#put(event);
    }
    const bytes = this.#assembled(events.length, levels);
    return { bytes, endMs: events.at(-1)?.atMs ?? 0, levels };
  }

  #assembled(events: number, levels: number): Uint8Array {
    const out = new ByteWriter();
    const { tick, lot, timeUs } = this.#units;
    const head = [events, levels, tick.decimals, tick.units, lot.decimals, lot.units, timeUs];
    for (const value of head) out.whole(value);
    const columns = Object.values(this.#columns);
    for (const { bytes } of columns) out.whole(bytes.length);
    for (const { bytes } of columns) out.append(bytes);
    return out.bytes.slice();
  }

  #put(event: ColumnEvent): void {
    const { kinds, times, ids } = this.#columns;
    const last = this.#last;
    const numbers = numberIds(event);
    kinds.byte(bitsOf(event) | (numbers !== undefined && numbers.length > 1 ? ORDER_IDS_BIT : 0));
    const atUs = Math.round(event.atMs * 1000);
    times.signed(atUs - last.atUs);
    last.atUs = atUs;
    if (event.kind === eventKind.gap) return;
    const { timeUs } = this.#units;
    const skew = Math.round((event.timeMs * 1000) / timeUs) - Math.floor(atUs / timeUs);
    times.signed(skew - last.skew);
    last.skew = skew;
    if (event.tradeId === undefined) {
      ids.signed(event.firstId - last.finalId - 1);
      if (event.kind === eventKind.depth) ids.signed(event.finalId - event.firstId);
      last.finalId = event.finalId;
    } else if (numbers === undefined) this.#putTextIds(event);
    else {
      for (const [at, id] of numbers.entries()) {
        ids.signed(id - (last.tradeIds[at] ?? 0) - 1);
        last.tradeIds[at] = id;
      }
    }
    for (const group of event.groups) this.#putGroup(group, event);
  }

  #putGroup({ side, levels }: LevelGroup, { tradeId }: ColumnEvent): void {
    const { ids, prices, quantities } = this.#columns;
    const { tick, lot } = this.#units;
    const tickScale = scaleOf(tick);
    const lotScale = scaleOf(lot);
    const order = orderOf(levels, side);
    if (tradeId === undefined) ids.whole((levels.length / 2) * 4 + order);
    const forward = (side === levelSide.bids ? -1 : 1) * (order === levelOrder.inward ? -1 : 1);
    let last = this.#last.ticks[side] ?? 0;
    for (let at = 0; at < levels.length; at += 2) {
      const ticks = Math.round((levels[at] ?? 0) * tickScale) / tick.units;
      const lots = Math.round((levels[at + 1] ?? 0) * lotScale) / lot.units;
      const isFree = at === 0 || order === levelOrder.mixed;
      const moved = isFree ? zigzag(ticks - last) : forward * (ticks - last) - 1;
      prices.whole(2 * moved + (lots === 0 ? 1 : 0));
      if (lots > 0) quantities.whole(lots);
      if (at === 0) this.#last.ticks[side] = ticks;
      last = ticks;
    }
  }

  #putRaw(event: ColumnEvent): void {
    const { kinds, ids, raw } = this.#columns;
    kinds.byte(bitsOf(event) | RAW_BIT | (event.tradeId === undefined ? 0 : TEXT_BIT));
    for (const value of [event.atMs, event.timeMs, event.firstId, event.finalId]) raw.double(value);
    if (event.tradeId !== undefined) this.#putTextIds(event);
    for (const { levels } of event.groups) {
      if (event.tradeId === undefined) ids.whole(levels.length / 2);
      for (const value of levels) raw.double(value);
    }
  }

  #putTextIds({ tradeId, orderIds }: ColumnEvent): void {
    const { texts } = this.#columns;
    texts.text(tradeId ?? "");
    for (const id of [orderIds?.buy, orderIds?.sell]) {
      texts.byte(id === undefined ? 0 : 1);
      if (id !== undefined) texts.text(id);
    }
  }
}

/** What the first event of a block counts its differences from. */
function beforeBlock() {
  return { atUs: 0, skew: 0, finalId: 0, tradeIds: [0, 0, 0], ticks: [0, 0, 0] };
}

function bitsOf(event: ColumnEvent): number {
  const hasTextIds = event.tradeId !== undefined && numberIds(event) === undefined;
  return event.kind | (event.isBuyerMaker ? BUYER_MAKER_BIT : 0) | (hasTextIds ? TEXT_BIT : 0);
}

/** Ids of the trade and, if it has them, of both orders; undefined when one of them is no plain number. */
function numberIds({ tradeId, orderIds }: ColumnEvent): readonly number[] | undefined {
  const texts = [tradeId, ...(orderIds === undefined ? [] : [orderIds.buy, orderIds.sell])];
  const numbers: number[] = [];
  for (const text of texts) {
    if (text === undefined || !plainId.test(text)) return undefined;
    numbers.push(Number(text));
  }
  return numbers;
}

function orderOf(levels: FlatLevels, side: LevelGroup["side"]): number {
  let rises = 0;
  let falls = 0;
  for (let at = 2; at < levels.length; at += 2) {
    const moved = (levels[at] ?? 0) - (levels[at - 2] ?? 0);
    if (moved > 0) rises += 1;
    else if (moved < 0) falls += 1;
    else return levelOrder.mixed;
  }
  if (rises > 0 && falls > 0) return levelOrder.mixed;
  const isOutward = side === levelSide.bids ? rises === 0 : falls === 0;
  return isOutward ? levelOrder.outward : levelOrder.inward;
}
