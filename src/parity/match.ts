/** Something that happened in the live run or in a replay of it: an order or a fill. */
export interface Matchable {
  /** Strategy, market, side, price and whatever else has to be equal. */
  readonly key: string;
  readonly timeMs: number;
  /** Base token. */
  readonly quantity: number;
}

/** What the two have in common, with how much. */
export interface Match<Live, Replayed> {
  readonly live: Live;
  readonly replayed: Replayed;
  readonly quantity: number;
}

/**
 * Matches fills with equal keys that are at most `windowMs` apart, earliest first. A fill may have parts in several of the other side, since a
 * venue may fill at once what a model fills in two steps.
 */
export function matchFills<Live extends Matchable, Replayed extends Matchable>(
  live: readonly Live[],
  replayed: readonly Replayed[],
  windowMs: number,
): readonly Match<Live, Replayed>[] {
  const candidates = byKey(replayed);
  const matches: Match<Live, Replayed>[] = [];
  for (const item of sorted(live)) {
    let left = item.quantity;
    for (const other of candidates.get(item.key) ?? []) {
      if (other.item.timeMs > item.timeMs + windowMs || left <= 0) break;
      if (other.item.timeMs < item.timeMs - windowMs || other.left <= 0) continue;
      const quantity = Math.min(left, other.left);
      left -= quantity;
      other.left -= quantity;
      matches.push({ live: item, replayed: other.item, quantity });
    }
  }
  return matches;
}

/** Matches orders with equal keys that are at most `windowMs` apart one to one, earliest first, whatever their quantities. */
export function matchOrders<Live extends Matchable, Replayed extends Matchable>(
  live: readonly Live[],
  replayed: readonly Replayed[],
  windowMs: number,
): readonly Match<Live, Replayed>[] {
  const whole = <Item extends Matchable>(item: Item) => ({ ...item, item, quantity: 1 });
  return matchFills(live.map(whole), replayed.map(whole), windowMs).map((match) => ({
    live: match.live.item,
    replayed: match.replayed.item,
    quantity: Math.min(match.live.item.quantity, match.replayed.item.quantity),
  }));
}

function byKey<Item extends Matchable>(
  items: readonly Item[],
): ReadonlyMap<string, { readonly item: Item; left: number }[]> {
  const entries = sorted(items).map((item) => ({ item, left: item.quantity }));
  return Map.groupBy(entries, ({ item }) => item.key);
}

function sorted<Item extends Matchable>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((left, right) => left.timeMs - right.timeMs);
}
