import { getOrMake } from "../base/get-or-make.ts";
import type { MarketId } from "../domain/ids.ts";
import type { Side } from "../domain/side.ts";
import type { UnixMs } from "../domain/time.ts";
import type { Note } from "../kernel/note.ts";
import { Crossings } from "../recordings/crossings.ts";
import type { ReplayBook } from "./replay-book.ts";
import type { ReplayEnd } from "./replay.ts";
import type { ReplayResult } from "./replay-result.ts";

/** Distinct sentences that are kept; further ones are only counted. */
const MAX_SENTENCES = 20;

/** The kernel's warnings in a gap, of which `list` has a sentence with more in it. In a replay they have no other cause. */
const ofGaps: ReadonlySet<string> = new Set(["STREAM_CLOSED", "READ_FAILED"]);

/** Collects the warnings of a replay. */
export class ReplayWarnings {
  readonly #sentences: Set<string>;
  #more = 0;
  /** The last reason why a strategy's side was not quoted, before the stop. */
  readonly #reasons = new Map<string, Partial<Record<Side, string>>>();
  #isStopping = false;
  readonly #crossings = new Map<MarketId, Crossings>();
  /** When each gap that is not over began, by market. */
  readonly #gapSinceMs = new Map<MarketId, UnixMs>();
  #gaps = 0;
  #gapMs = 0;
  /** The first statement about each market's book that was not believed. */
  readonly #impossible = new Map<MarketId, string>();

  constructor(first: readonly string[]) {
    this.#sentences = new Set(first);
  }

  observe(notes: readonly Note[]): void {
    for (const note of notes) {
      if (note.type === "warning") {
        if (!ofGaps.has(note.code)) this.#add(note.message);
      } else if (note.type === "strategyFault")
        this.#add(`${note.strategy} failed: ${note.message}`);
      else if (note.type === "doubt") this.#doubt(note);
      else if (
        note.type === "quoteReason" &&
        note.reason !== undefined &&
        !note.inPart &&
        !this.#isStopping
      ) {
        const key = `${note.strategy} in ${note.marketId}`;
        const reason = this.#reasons.get(key) ?? {};
        reason[note.side] = note.reason;
        this.#reasons.set(key, reason);
      }
    }
  }

  gapBegins(marketId: MarketId, atMs: UnixMs): void {
    this.#gapSinceMs.set(marketId, atMs);
  }

  gapEnds(marketId: MarketId, atMs: UnixMs): void {
    const sinceMs = this.#gapSinceMs.get(marketId);
    if (sinceMs === undefined) return;
    this.#gaps += 1;
    this.#gapMs += atMs - sinceMs;
    this.#gapSinceMs.delete(marketId);
  }

  /** The recorded book of a market has changed. */
  book(marketId: MarketId, { bid, ask }: ReplayBook["touch"]): void {
    getOrMake(this.#crossings, marketId, () => new Crossings(marketId)).see(bid, ask);
  }

  /** Ignores later reasons: a stopping bot cancels its quotes anyway. */
  stopping(): void {
    this.#isStopping = true;
  }

  list(end: ReplayEnd, result: ReplayResult): readonly string[] {
    if (this.#gaps > 0) {
      const seconds = (this.#gapMs / 1000).toFixed(1);
      const gaps = this.#gaps === 1 ? "a gap" : `${this.#gaps} gaps`;
      this.#add(
        `the recording has ${gaps}, ${seconds} s in all: meanwhile the bot did not see the market, and nothing could fill in it.`,
      );
    }
    for (const [marketId, sinceMs] of this.#gapSinceMs) {
      const time = new Date(sinceMs).toISOString();
      this.#add(
        `the recorded book of ${marketId} is not known after ${time}: from there to the end the bot does not see this market, and nothing can fill in it.`,
      );
    }
    for (const { warning } of this.#crossings.values()) {
      if (warning !== undefined) this.#add(warning);
    }
    for (const [marketId, first] of this.#impossible) {
      this.#add(
        `the recorded book of ${marketId} was crossed or jumped beyond risk.priceCollar (first: ${first}): no quote was placed or moved meanwhile, as in a live run.`,
      );
    }
    if (end.ignored > 0) {
      this.#add(
        `${end.ignored} recorded levels and trades were ignored: no order can have their price or quantity.`,
      );
    }
    if (end.finished === undefined) {
      this.#add(`the bot's orders were not canceled in time: ${end.ordersLeft.join(", ")}.`);
    } else if (!end.finished.ok) this.#add(`the bot stopped by itself: ${end.finished.reason}.`);
    if (result.quotesPlaced === 0) {
      for (const [strategy, reason] of this.#reasons) {
        const sides = [`bids: ${reason.BUY ?? "none"}`, `asks: ${reason.SELL ?? "none"}`];
        this.#add(`${strategy} placed no quotes (${sides.join("; ")}).`);
      }
    }
    const more = this.#more === 0 ? [] : [`… and ${this.#more} more warnings.`];
    return [...this.#sentences, ...more];
  }

  #doubt({ code, marketId, message }: Extract<Note, { readonly type: "doubt" }>): void {
    if (code === "MARKET_LEFT") this.#add(message);
    if (code !== "BOOK_IMPOSSIBLE" || marketId === undefined) return;
    if (!this.#impossible.has(marketId)) this.#impossible.set(marketId, message);
  }

  #add(sentence: string): void {
    if (this.#sentences.has(sentence)) return;
    if (this.#sentences.size < MAX_SENTENCES) this.#sentences.add(sentence);
    else this.#more += 1;
  }
}
