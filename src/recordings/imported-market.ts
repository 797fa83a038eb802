import type { MarketId } from "../domain/ids.ts";
import type { DefectName } from "./defect.ts";
import { Crossings } from "./crossings.ts";
import type { DefectList } from "./defect-list.ts";
import { Fold } from "./fold.ts";
import type { RecordingMarket } from "./manifest.ts";
import { MarketInspector } from "./market-inspector.ts";
import type { MarketEvent } from "./market-event.ts";
import { isOffBook } from "./market-reader.ts";
import { NativeGrid } from "./native-grid.ts";
import { plainDecimal } from "./plain-decimal.ts";
import type { MarketDataEvent, RecordedEvent, TextLevel } from "./recorded-event.ts";
import { isLater, type SourcedAt } from "./source-clock.ts";
import { SyncedBook } from "./synced-book.ts";

/** What the rows of a market become; changes and whole books are one. */
export type RowKind = "depth" | "trade" | "candle";

/** How many rows of a kind were read, and how many of them a replay plays. */
export interface RowCount {
  read: number;
  kept: number;
}

/** Why an event is left out. */
type Left = NonNullable<SourcedAt["leftOut"]>;

/** One imported market: finds the defects of its source events, and folds its prices or infers their grid. */
export class ImportedMarket {
  readonly #market: RecordingMarket;
  readonly #defects: DefectList;
  readonly #inspector: MarketInspector;
  readonly #grid = new NativeGrid();
  /** Each snapshot counts: what is behind its levels does not matter for the best prices. */
  readonly #book: SyncedBook;
  readonly #crossings: Crossings;
  readonly #rows: Record<RowKind, RowCount> = {
    depth: { read: 0, kept: 0 },
    trade: { read: 0, kept: 0 },
    candle: { read: 0, kept: 0 },
  };
  /** The kind of file that each kind of row comes from. */
  readonly #kinds = new Map<RowKind, string>();
  readonly #snapshotIds: number[] = [];
  #fold: Fold | undefined;
  #placed: SourcedAt | undefined;
  #last: SourcedAt | undefined;
  /** Last rows of files whose clock nothing has confirmed yet. */
  #suspects: SourcedAt[] = [];
  /** Bad rows of the current event that were already reported. */
  #badRows = 0;

  constructor(market: RecordingMarket, defects: DefectList) {
    this.#market = market;
    this.#defects = defects;
    this.#inspector = new MarketInspector(market, ({ what, detail, level }) =>
      this.#onDefect(what, detail, level),
    );
    const { marketId } = market;
    this.#book = new SyncedBook(marketId as MarketId, { ids: "made", snapshotIds: [] });
    this.#crossings = new Crossings(marketId);
  }

  get described(): RecordingMarket {
    const { rules } = this.#grid;
    return rules === undefined ? this.#market : { ...this.#market, rules };
  }

  get silences(): number {
    return this.#inspector.silences;
  }

  get crossings(): Crossings {
    return this.#crossings;
  }

  get rows(): Readonly<Record<RowKind, Readonly<RowCount>>> {
    return this.#rows;
  }

  /** The first pass of a folded import. */
  noteSnapshot({ event }: SourcedAt): void {
    if (event.type === "book") this.#snapshotIds.push(event.lastId);
  }

  /** What the recording gets for an event, and for suspects that it confirms. */
  *take(placed: SourcedAt): Generator<RecordedEvent> {
    const last = this.#last;
    if (placed.clock === "unconfirmed" && (last === undefined || isLater(placed, last))) {
      this.#suspects.push(placed);
      return;
    }
    if (this.#suspects.length > 0) {
      const suspects = this.#suspects;
      this.#suspects = [];
      for (const suspect of suspects) {
        if (isLater(suspect, placed))
          yield* this.#leaveOut(suspect, { ...jump(suspect), atUs: placed.atUs });
        else yield* this.#keep(suspect);
      }
    }
    if (placed.clock === "jump") yield* this.#leaveOut(placed, jump(placed));
    else if (placed.leftOut !== undefined) yield* this.#leaveOut(placed, placed.leftOut);
    else yield* this.#keep(placed);
  }

  /** Leaves out what no event confirmed. */
  end(): void {
    for (const suspect of this.#suspects) this.#reject(suspect, jump(suspect));
    this.#suspects = [];
  }

  *#keep(placed: SourcedAt): Generator<RecordedEvent> {
    const event = plainEvent(placed.event);
    this.#last = placed;
    this.#placed = placed;
    this.#badRows = 0;
    if (placed.clock === "back")
      this.#onDefect("badTimes", "received before the row above, whose time of receipt is used");
    const read = this.#inspector.take(event);
    if (!isOffBook(event)) {
      const row = this.#rows[rowKind(event)];
      row.read += 1;
      if (read !== undefined) row.kept += 1;
    }
    if (read !== undefined && read.type !== "candle") this.#book.take(read, this.#seeBook);
    if (this.#market.grid === "native") {
      if (!isOffBook(event)) this.#grid.take(event);
      yield event;
      return;
    }
    this.#fold ??= new Fold(event.marketId, {
      ids: this.#market.ids,
      snapshotIds: this.#snapshotIds,
    });
    yield* this.#fold.take(event);
  }

  readonly #seeBook = ({ type }: MarketEvent): void => {
    const { book } = this.#book;
    if (type !== "trade") this.#crossings.see(book?.bids.bestPrice, book?.asks.bestPrice);
  };

  /** Of a trade the id remains: without it the next trade would follow a gap. */
  *#leaveOut(
    placed: SourcedAt,
    reason: Left & { readonly atUs?: number },
  ): Generator<RecordedEvent> {
    this.#reject(placed, reason);
    if (placed.event.type !== "trade") return;
    const { atUs = placed.atUs } = reason;
    const event: RecordedEvent = { ...placed.event, atUs, isOffBook: true };
    this.#inspector.take(event);
    yield event;
  }

  #reject(placed: SourcedAt, { what, detail }: Left): void {
    this.#rows[rowKind(placed.event)].read += 1;
    this.#placed = placed;
    this.#onDefect(what, detail);
  }

  #onDefect(what: DefectName, detail: string, level?: number): void {
    const { file = "", line = 0, levelLines, badTimeLines } = this.#placed ?? {};
    let at = level === undefined ? undefined : levelLines?.[level];
    if (what === "badTimes") {
      at = badTimeLines?.[this.#badRows];
      this.#badRows += 1;
    }
    this.#defects.add({ what, market: this.#market.marketId, file, line: at ?? line, detail });
  }

  /** The kind of file of which this market has rows already, where it is another one that tells the same; else undefined. */
  otherKind({ kind, event }: SourcedAt): string | undefined {
    if (kind === undefined) return undefined;
    const known = this.#kinds.get(rowKind(event));
    if (known === undefined) this.#kinds.set(rowKind(event), kind);
    return known === kind ? undefined : known;
  }
}

function jump({ event }: SourcedAt): Left {
  const detail = `${event.type} more than an hour after the one before it, and no later one confirms that time`;
  return { what: "timeJumps", detail };
}

function rowKind({ type }: MarketDataEvent): RowKind {
  return type === "book" ? "depth" : type;
}

/** The event with plain decimals, which is what all else reads. */
function plainEvent(event: MarketDataEvent): MarketDataEvent {
  if (event.type === "depth" || event.type === "book")
    return { ...event, bids: event.bids.map(plainLevel), asks: event.asks.map(plainLevel) };
  if (event.type === "trade")
    return { ...event, price: plainDecimal(event.price), quantity: plainDecimal(event.quantity) };
  const [open, high] = [plainDecimal(event.open), plainDecimal(event.high)];
  const [low, close] = [plainDecimal(event.low), plainDecimal(event.close)];
  return { ...event, open, high, low, close, volume: plainDecimal(event.volume) };
}

function plainLevel([price, quantity]: TextLevel): TextLevel {
  return [plainDecimal(price), plainDecimal(quantity)];
}
