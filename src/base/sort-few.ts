/** Sorts in place, as `Array.sort` does; quick where the few items are in order already, as they are in most calls. */
export function sortFew<Item>(items: Item[], compare: (left: Item, right: Item) => number): void {
  for (let at = 1; at < items.length; at += 1) {
    const left = items[at - 1];
    const right = items[at];
    if (left === undefined || right === undefined || compare(left, right) > 0) {
      items.sort(compare);
      return;
    }
  }
}
