import { OWN_MARKET, partName } from "../domain/market-roles.ts";
import type { Decimal } from "../domain/decimal.ts";
import { addFixed, mulFixed, ZERO, type Fixed } from "../domain/fixed.ts";
import type { TokenId } from "../domain/ids.ts";
import type { Market } from "../domain/market.ts";
import type { Side } from "../domain/side.ts";
import { WANTS_NONE } from "../domain/wants-none.ts";
import type { MeasuredEntry, MeasuredPart } from "../journal/entry.ts";
import type { UptimeShares } from "../journal/uptime-sum.ts";
import { keepsObligation, type Obligation } from "../orders/obligation.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";
import { Position } from "../orders/position.ts";
import { countNote, noCounts, type StrategyNote } from "./counters.ts";
import { Denials } from "./denials.ts";
import { Histogram } from "./histogram.ts";
import { Uptime, type UptimeTrack } from "./uptime.ts";

/** A strategy in one of its markets, as summaries measure it. */
export interface MeasuredStrategy {
  readonly name: string;
  /** The strategy's name for the market; left out, its own one. */
  readonly role?: string;
  readonly market: Market;
  readonly obligation?: Obligation | undefined;
}

/** Folds the notes of one strategy in one market into their part of the summary. */
export class StrategyFold {
  readonly strategy: string;
  /** `maker` in its own market, `maker/hedge` in another. */
  readonly name: string;
  readonly position: Position;
  readonly counts = noCounts();
  readonly denials = new Denials();
  readonly uptime: Uptime;
  readonly latency = new Histogram();
  volumeBase: Fixed = ZERO;
  volumeQuote: Fixed = ZERO;
  readonly #obligation: Obligation | undefined;
  /** The sides in which a quote was wanted, and those that the strategy left empty without a reason. */
  readonly #wanted = new Set<Side>();
  readonly #unwanted = new Set<Side>();
  /** The sides that are not quoted: what still rests there is on its way out. */
  readonly #pulled = new Set<Side>();

  constructor({ name, role, market, obligation }: MeasuredStrategy, startMs: number) {
    this.strategy = name;
    this.name = partName(name, role ?? OWN_MARKET);
    this.#obligation = role === undefined || role === OWN_MARKET ? obligation : undefined;
    this.position = new Position(market);
    this.uptime = new Uptime(startMs);
  }

  note(note: StrategyNote): void {
    countNote(this.counts, note);
    if (note.type === "denied") this.denials.note(note);
    this.#follows(note);
    // An order of an earlier run may be in another market, which the strategy traded then: its fill is only counted.
    if (note.type !== "fill" || note.fill.marketId !== this.position.market.marketId) return;
    const { price, quantity } = note.fill;
    this.volumeBase = addFixed(this.volumeBase, quantity);
    this.volumeQuote = addFixed(this.volumeQuote, mulFixed(price, quantity));
    this.position.apply(note.fill);
  }

  /** Sets the quotes that rest, of all strategies, from the time of the last `uptime.advance`. */
  resting(all: readonly OrderSnapshot[]): void {
    const quotes = all.filter(
      ({ strategy, marketId, side }) =>
        strategy === this.strategy &&
        marketId === this.position.market.marketId &&
        !this.#pulled.has(side),
    );
    for (const side of ["BUY", "SELL"] as const) {
      this.uptime.set(
        side,
        quotes.some((quote) => quote.side === side),
      );
    }
    if (this.#obligation !== undefined) {
      this.uptime.set("obligation", keepsObligation(quotes, this.#obligation));
    }
  }

  #follows(note: StrategyNote): void {
    if (note.type === "quoteReason") {
      if (note.reason === WANTS_NONE) this.#unwanted.add(note.side);
      if (note.reason === undefined || note.inPart) this.#pulled.delete(note.side);
      else this.#pulled.add(note.side);
    } else if (note.type === "order" && note.order.role === "quote")
      this.#wanted.add(note.order.side);
    else if (note.type === "denied" && (note.stop ?? note.take) === undefined) {
      this.#wanted.add(note.side);
    }
  }

  get uptimeShares(): UptimeShares {
    return this.#tracked((track) => this.uptime.share(track));
  }

  /** What was measured since the previous call. */
  take(): Pick<MeasuredEntry, "fromMs" | "untilMs"> & { readonly part: MeasuredPart } {
    const { fromMs, untilMs, upMs } = this.uptime.take();
    const { strategy, position } = this;
    const { marketId } = position.market;
    const tracked = this.#tracked((track) => upMs[track]);
    return { fromMs, untilMs, part: { strategy, marketId, upMs: tracked } };
  }

  #tracked(of: (track: UptimeTrack) => number): UptimeShares {
    const ofSide = (side: Side): number | null =>
      this.#unwanted.has(side) && !this.#wanted.has(side) ? null : of(side);
    return {
      bid: ofSide("BUY"),
      ask: ofSide("SELL"),
      obligation: this.#obligation === undefined ? null : of("obligation"),
    };
  }

  /** PnL in quote token at this mid. `unrealised` is undefined when a position is open and no mid is known. */
  pnl(mid: number | undefined): { realised: Decimal; unrealised: Decimal | undefined } {
    return { realised: this.position.realisedPnl, unrealised: this.position.unrealisedAt(mid) };
  }

  /** Change of each token's amount by own fills, net of fees. */
  inventory(): readonly (readonly [TokenId, Fixed])[] {
    const { market, base, quote } = this.position;
    return [
      [market.baseToken, base],
      [market.quoteToken, quote],
    ];
  }
}
