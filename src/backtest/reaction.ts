import type { Side } from "../domain/side.ts";
import type { Note } from "../kernel/note.ts";
import { Histogram } from "../metrics/histogram.ts";
import type { OrderSnapshot } from "../orders/order-snapshot.ts";

/** A change of the mid below this share of it is the noise of doubles. */
const NOISE = 1e-9;

export interface ReactionFigures {
  /** From the recorded move that made a quote more dangerous than its tolerance allows to the command that cancels or moves it; undefined without one. */
  readonly p50Ms: number | undefined;
  readonly p90Ms: number | undefined;
  /** Share of the fills of quotes that were so by the newest book that the bot had received, and left as they were; undefined without fills. */
  readonly offTargetFills: number | undefined;
  /** Share of the fills of quotes whose cancel or modify was on its way. */
  readonly leavingFills: number | undefined;
  /** The longest time from such a command to the fill, at the venue; undefined without one. */
  readonly leavingMaxMs: number | undefined;
}

/** A quote and its target in the newest plan that placed or kept it. The target moves with the mid. */
interface FollowedQuote {
  readonly side: Side;
  readonly price: number;
  target: number;
  planned: Planned;
  offSinceMs: number | undefined;
  /** When its cancel or modify was sent. */
  leavingSinceMs: number | undefined;
}

type Planned = Pick<Extract<Note, { readonly type: "planned" }>, "mid" | "tolerance">;

/** How soon quotes follow the market, and what trades with those that have not yet. */
export class Reaction {
  readonly #planned = new Map<string, Planned>();
  readonly #quotes = new Map<number, FollowedQuote>();
  readonly #delaysMs = new Histogram();
  #fills = 0;
  #offTargetFills = 0;
  #leavingFills = 0;
  #leavingMaxMs: number | undefined;

  planned(note: Extract<Note, { readonly type: "planned" }>): void {
    this.#planned.set(note.strategy, note);
    for (const { intent, price } of note.kept) {
      const quote = this.#quotes.get(intent);
      if (quote === undefined) continue;
      quote.target = price;
      quote.planned = note;
    }
  }

  /** Follows a quote of ours through its states. Call it after `planned` of the same step. */
  order({ intent, strategy, side, price, state, wasCanceled }: OrderSnapshot, nowMs: number): void {
    if (state === "ended") {
      this.#quotes.delete(intent);
      return;
    }
    const quote = this.#quotes.get(intent);
    if (quote === undefined) {
      const planned = this.#planned.get(strategy);
      if (planned === undefined || wasCanceled) return;
      const since = { offSinceMs: undefined, leavingSinceMs: undefined };
      this.#quotes.set(intent, { side, price, target: price, planned, ...since });
      return;
    }
    if (!wasCanceled || quote.leavingSinceMs !== undefined) return;
    quote.leavingSinceMs = nowMs;
    if (quote.offSinceMs !== undefined) this.#delaysMs.add(Math.max(0, nowMs - quote.offSinceMs));
  }

  /** A recorded mid. */
  mid(timeMs: number, mid: number): void {
    for (const quote of this.#quotes.values()) {
      if (!isOff(quote, mid)) quote.offSinceMs = undefined;
      else quote.offSinceMs ??= timeMs;
    }
  }

  /** A fill of a quote at the venue; `knownMid` is that of the newest book that the bot has received. */
  fill(intent: number, nowMs: number, knownMid: number | undefined): void {
    const quote = this.#quotes.get(intent);
    this.#fills += 1;
    if (quote?.leavingSinceMs !== undefined) {
      this.#leavingFills += 1;
      this.#leavingMaxMs = Math.max(this.#leavingMaxMs ?? 0, nowMs - quote.leavingSinceMs);
    } else if (quote !== undefined && knownMid !== undefined && isOff(quote, knownMid)) {
      this.#offTargetFills += 1;
    }
  }

  figures(): ReactionFigures {
    return {
      p50Ms: this.#delaysMs.percentile(0.5),
      p90Ms: this.#delaysMs.percentile(0.9),
      offTargetFills: this.#fills === 0 ? undefined : this.#offTargetFills / this.#fills,
      leavingFills: this.#fills === 0 ? undefined : this.#leavingFills / this.#fills,
      leavingMaxMs: this.#leavingMaxMs,
    };
  }
}

function isOff({ side, price, target, planned }: FollowedQuote, mid: number): boolean {
  const wanted = target + mid - planned.mid;
  const nearer = side === "BUY" ? price - wanted : wanted - price;
  return nearer > (planned.tolerance + NOISE) * mid;
}
