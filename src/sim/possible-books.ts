import type { BookSnapshot, DepthEvent } from "../domain/depth.ts";
import { NaiveBook } from "./naive-book.ts";

/** From so many old events in a row on, a bot may begin anew. §6.3 has no number; ids that go back are against D36. */
const MANY_OLD = 1_000;

/**
 * The books that a bot may hold after what was delivered to it. §6.3 leaves two things to the bot: whether a live book is replaced by a newer
 * one from REST, and whether it gives a live book up, as after a comparison that failed. Each is then followed both ways.
 */
export class PossibleBooks {
  /** Events in a row that are older than every book. */
  #oldRun = 0;
  /** None while the stream is closed. */
  #books: readonly NaiveBook[] = [];

  /** Those that are in sync. */
  get live(): readonly NaiveBook[] {
    return this.#books.filter(({ isLive }) => isLive);
  }

  /** The one with the newest update of them. */
  get newest(): NaiveBook | undefined {
    return this.live.reduce<NaiveBook | undefined>(
      (newest, book) => ((book.lastId ?? 0) > (newest?.lastId ?? -1) ? book : newest),
      undefined,
    );
  }

  /** The events of this market begin, those of the connection or subscription before are worthless. */
  opened(): void {
    this.#books = [new NaiveBook()];
    this.#oldRun = 0;
  }

  closed(): void {
    this.#books = [];
  }

  /** Returns false when the bot has to give its book up: one has ended at a gap, or so many events are old that the venue's ids went back. */
  event(event: DepthEvent): boolean {
    const { live } = this;
    const isOld = live.length > 0 && live.every(({ lastId = 0 }) => event.finalId <= lastId);
    this.#oldRun = isOld ? this.#oldRun + 1 : 0;
    const before = live.length;
    for (const book of this.#books) book.event(event);
    const hasGap = this.live.length < before;
    this.#merge();
    return !hasGap && this.#oldRun < MANY_OLD;
  }

  /** A whole book from REST. One without a book takes it if it can; a live one may take a newer one, and never an older one. */
  whole(snapshot: BookSnapshot): void {
    let mayReplace = false;
    for (const book of this.#books) {
      if (book.lastId === undefined) book.take(snapshot);
      else if (snapshot.lastId > book.lastId) mayReplace = true;
    }
    if (mayReplace) {
      const taken = new NaiveBook();
      taken.take(snapshot);
      this.#books = [...this.#books, taken];
    }
    this.#merge();
  }

  /** The bot may have given its book up, and begun anew. */
  mayBeGivenUp(): void {
    if (this.#books.length === 0) return;
    this.#books = [...this.#books, new NaiveBook()];
    this.#merge();
  }

  /** The bot says that it has none in sync. */
  isGivenUp(): void {
    this.mayBeGivenUp();
    this.#books = this.#books.filter(({ isLive }) => !isLive);
  }

  /** The bot holds one of these. A whole book that is ahead of them may still replace it. */
  keep(held: readonly NaiveBook[]): void {
    const reachedId = Math.max(...held.map(({ lastId = 0 }) => lastId));
    this.#books = this.#books.filter(
      (book) => held.includes(book) || (book.lastId ?? 0) > reachedId,
    );
  }

  #merge(): void {
    if (this.#books.length < 2) return;
    this.#books = this.#books.filter(
      (book, at) => !this.#books.slice(0, at).some((earlier) => earlier.equals(book)),
    );
  }
}
