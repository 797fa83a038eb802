import { type CandleEvent, CandleReader } from "./candle.ts";
import { type Defect, type DefectCounts, noDefects, type ReportDefect } from "./defect.ts";
import { DepthChain } from "./depth-chain.ts";
import type { RecordingMarket } from "./manifest.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketReader } from "./market-reader.ts";
import type { RecordedEvent, RecordedTrade } from "./recorded-event.ts";
import { DepthSilence } from "./recorded-gaps.ts";
import { TradeChain } from "./trade-chain.ts";

/** Reads one market's events and reports every defect. Imports and checks share it, so that their counts agree. */
export class MarketInspector {
  readonly #counts = noDefects();
  readonly #report: ReportDefect;
  readonly #reader: MarketReader;
  readonly #candles: CandleReader;
  readonly #depth = new DepthChain();
  readonly #trades: TradeChain;
  readonly #silence = new DepthSilence();
  readonly #ids: RecordingMarket["ids"];
  #silences = 0;

  /** The market's ids, as in the manifest. */
  constructor(market: Pick<RecordingMarket, "ids" | "tradeIds">, report: ReportDefect) {
    this.#ids = market.ids;
    this.#trades = new TradeChain(market.tradeIds);
    this.#report = report;
    this.#reader = new MarketReader((defect) => this.#onDefect(defect));
    this.#candles = new CandleReader((defect) => this.#onDefect(defect));
  }

  get counts(): DefectCounts {
    return this.#counts;
  }

  /** How many of the gaps are places where trades went on for long without depth. */
  get silences(): number {
    return this.#silences;
  }

  /** The event as numbers; undefined when it is left out. */
  take(recorded: RecordedEvent): MarketEvent | CandleEvent | undefined {
    if (recorded.type === "candle") return this.#candles.take(recorded);
    if (recorded.type === "trade") this.#followTrade(recorded);
    if (recorded.type === "mark" && recorded.state === "closed") this.#depth.interrupted();
    const event = this.#reader.take(recorded);
    if (event === undefined) return undefined;
    if (event.type !== "trade") this.#followDepth(event, recorded);
    this.#silence.take(event);
    return event;
  }

  #followDepth(event: Exclude<MarketEvent, { type: "trade" }>, recorded: RecordedEvent): void {
    if (event.type === "book") this.#depth.takeBook(event.snapshot.lastId);
    const link = event.type === "book" ? undefined : this.#depth.take(event.event);
    if (event.type === "depth" && link?.type === "duplicate") {
      const detail = `depth ids up to ${event.event.finalId} are repeated`;
      this.#onDefect({ what: "duplicates", detail, event: recorded });
    } else if (link?.type === "gap" && this.#ids === undefined) {
      const { fromId, toId } = link;
      const ids = toId <= fromId ? `id ${fromId}` : `ids ${fromId} to ${toId}`;
      // Overlapping ids: nothing is missing, but the chain is still broken.
      const detail =
        toId < fromId ? `depth starts at id ${toId + 1} again` : `depth ${ids} missing`;
      this.#onDefect({ what: "gaps", detail, event: recorded });
    } else if (this.#ids === "made" && this.#silence.isGapBefore(event)) {
      const isSilence = this.#silence.lacksDepth;
      if (isSilence) this.#silences += 1;
      const reason = isSilence ? "trades went on without it" : "a snapshot follows a silence";
      const detail = `depth before this event is missing: ${reason}`;
      this.#onDefect({ what: "gaps", detail, event: recorded });
    }
  }

  /** Also a trade that is left out has its id. */
  #followTrade(recorded: RecordedTrade): void {
    const { tradeId } = recorded;
    const link = this.#trades.take(tradeId);
    if (link === "duplicate") {
      const detail = `trade ${tradeId} is repeated`;
      this.#onDefect({ what: "tradeDuplicates", detail, event: recorded });
    } else if (link === "gap") {
      const detail = `trades before ${tradeId} are missing`;
      this.#onDefect({ what: "tradeGaps", detail, event: recorded });
    }
  }

  #onDefect(defect: Defect): void {
    this.#counts[defect.what] += 1;
    this.#report(defect);
  }
}
