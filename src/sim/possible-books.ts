import type { BookSnapshot, DepthEvent } from "../domain/depth.ts";
import { NaiveBook } from "./naive-book.ts";

/**
 * The books that a bot may hold after what was delivered to it. §6.3 leaves two things to the bot: whether a live book is replaced by a newer
 * one from REST, and whether it gives a live book up, as after a comparison that failed. Each is then followed both ways.
 */
export class PossibleBooks {
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
  }

  closed(): void {
    this.#books = [];
  }

  /** Returns false when one of them has ended at a gap. */
  event(event: DepthEvent): boolean {
    const before = this.live.length;
    for (const book of this.#books) book.event(event);
    const hasGap = this.live.length < before;
    this.#merge();
    return !hasGap;
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

  /** The bot holds one of these. */
  keep(held: readonly NaiveBook[]): void {
    this.#books = this.#books.filter((book) => held.includes(book));
  }

  #merge(): void {
    if (this.#books.length < 2) return;
    this.#books = this.#books.filter(
      (book, at) => !this.#books.slice(0, at).some((earlier) => earlier.equals(book)),
    );
  }
}
