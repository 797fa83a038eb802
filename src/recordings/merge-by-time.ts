/** A source of a merge, sorted by time of receipt. */
export interface TimedSource<Event> extends Iterable<Event> {
  /** Time of the first event. A source that states it is opened when that event is due, and not before. */
  readonly beginUs?: number | undefined;
}

/** Merges sources by time of receipt; at equal times the earlier source comes first. */
export function* mergeByTime<Event extends { readonly atUs: number }>(
  sources: readonly TimedSource<Event>[],
): Generator<Event> {
  const heads = sources.map((source) => new Head(source));
  for (;;) {
    let first: Head<Event> | undefined;
    for (const head of heads) {
      if (head.atUs < (first?.atUs ?? Number.POSITIVE_INFINITY)) first = head;
    }
    if (first === undefined) return;
    if (first.event !== undefined) yield first.event;
    first.pull();
  }
}

/** The next event of a source. */
class Head<Event extends { readonly atUs: number }> {
  readonly #source: TimedSource<Event>;
  /** Undefined while the source is not open. */
  #events: Iterator<Event> | undefined;
  /** Undefined before the source is open, and at its end. */
  event: Event | undefined;
  /** Time of the next event; infinite at the end. */
  atUs: number;

  constructor(source: TimedSource<Event>) {
    this.#source = source;
    this.atUs = source.beginUs ?? 0;
    if (source.beginUs === undefined) this.pull();
  }

  /** Moves on to the next event, after opening the source where it was not. */
  pull(): void {
    this.#events ??= this.#source[Symbol.iterator]();
    const next = this.#events.next();
    this.event = next.done === true ? undefined : next.value;
    this.atUs = this.event?.atUs ?? Number.POSITIVE_INFINITY;
  }
}
