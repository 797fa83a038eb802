/** Merges sources that are each sorted by time of receipt; at equal times the earlier source comes first. */
export function* mergeByTime<Event extends { readonly atUs: number }>(
  sources: readonly Iterable<Event>[],
): Generator<Event> {
  const open = sources.map((source) => source[Symbol.iterator]());
  const heads = open.map((iterator) => iterator.next());
  for (;;) {
    let first = -1;
    let firstUs = Number.POSITIVE_INFINITY;
    for (const [at, head] of heads.entries()) {
      if (head.done === true || head.value.atUs >= firstUs) continue;
      first = at;
      firstUs = head.value.atUs;
    }
    const head = heads[first];
    const iterator = open[first];
    if (head === undefined || iterator === undefined || head.done === true) return;
    yield head.value;
    heads[first] = iterator.next();
  }
}
