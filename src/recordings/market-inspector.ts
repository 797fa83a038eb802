import { CandleReader } from "./candle.ts";
import { type Defect, type DefectCounts, noDefects, type ReportDefect } from "./defect.ts";
import { DepthChain } from "./depth-chain.ts";
import type { MarketEvent } from "./market-event.ts";
import { MarketReader } from "./market-reader.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import { DepthSilence } from "./recorded-gaps.ts";
import { TradeChain } from "./trade-chain.ts";

/** Reads one market's events and reports every defect. Imports and checks share it, so that their counts agree. */
export class MarketInspector {
  readonly #counts = noDefects();
  readonly #report: ReportDefect;
  readonly #reader: MarketReader;
  readonly #candles: CandleReader;
  readonly #depth = new DepthChain();
  readonly #trades = new TradeChain();
  readonly #silence = new DepthSilence();
  readonly #hasMadeIds: boolean;
  #silences = 0;

  /** `hasMadeIds`: the source has no update ids, so only trades show that depth is missing. */
  constructor(hasMadeIds: boolean, report: ReportDefect) {
    this.#hasMadeIds = hasMadeIds;
    this.#report = report;
    this.#reader = new MarketReader((defect) => this.#onDefect(defect));
    this.#candles = new CandleReader((defect) => this.#onDefect(defect));
  }

  get counts(): DefectCounts {
    return this.#counts;
  }

  /** How many of the gaps only trades show. */
  get silences(): number {
    return this.#silences;
  }

  /** The event as numbers; undefined when it is left out, and for a candle. */
  take(recorded: RecordedEvent): MarketEvent | undefined {
    if (recorded.type === "candle") {
      this.#candles.take(recorded);
      return undefined;
    }
    if (recorded.type === "mark" && recorded.state === "closed") this.#depth.interrupted();
    const event = this.#reader.take(recorded);
    if (event === undefined) return undefined;
    if (event.type === "book") this.#depth.takeBook(event.snapshot.lastId);
    else if (event.type === "depth") {
      const link = this.#depth.take(event.event);
      if (link.type === "duplicate") {
        const detail = `depth ids up to ${event.event.finalId} are repeated`;
        this.#onDefect({ what: "duplicates", detail, event: recorded });
      } else if (link.type === "gap") {
        const { fromId, toId } = link;
        const ids = toId <= fromId ? `id ${fromId}` : `ids ${fromId} to ${toId}`;
        // Overlapping ids: nothing is missing, but the chain is still broken.
        const detail =
          toId < fromId ? `depth starts at id ${toId + 1} again` : `depth ${ids} missing`;
        this.#onDefect({ what: "gaps", detail, event: recorded });
      } else if (this.#hasMadeIds && this.#silence.lacksDepth) {
        this.#silences += 1;
        const detail = "depth before this event is missing: trades went on without it";
        this.#onDefect({ what: "gaps", detail, event: recorded });
      }
    } else {
      const { tradeId } = event.trade;
      const link = this.#trades.take(tradeId);
      if (link === "duplicate") {
        const detail = `trade ${tradeId} is repeated`;
        this.#onDefect({ what: "tradeDuplicates", detail, event: recorded });
      } else if (link === "gap") {
        const detail = `trades before ${tradeId} are missing`;
        this.#onDefect({ what: "tradeGaps", detail, event: recorded });
      }
    }
    this.#silence.take(event);
    return event;
  }

  #onDefect(defect: Defect): void {
    this.#counts[defect.what] += 1;
    this.#report(defect);
  }
}
