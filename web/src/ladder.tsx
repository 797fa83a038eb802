import type { LadderRow } from "../../src/dashboard/api-rows.ts";
import { bookState } from "./book-state.ts";
import { amountText, priceText } from "./format.ts";
import type { ShownMarket } from "./live.ts";

/** The book around the touch, asks on top. Levels with own orders are marked, with what is ahead of them in the queue. */
export function Ladder({ view }: { readonly view: ShownMarket }) {
  const { bids, asks, mid = null, spread = null, state } = view.book;
  const most = Math.max(...[...bids, ...asks].map(([, quantity]) => quantity), 1e-9);
  const ahead = new Map<number, number>();
  for (const { price, queueAhead } of Object.values(view.orders)) {
    if (queueAhead === undefined) continue;
    ahead.set(price, Math.min(ahead.get(price) ?? queueAhead, queueAhead));
  }
  // By their distance from the touch: when the book moves, texts change and no rows are made.
  const rowOf = (row: LadderRow, at: number, side: "bid" | "ask") => (
    <Row key={`${side}${at}`} row={row} most={most} side={side} ahead={ahead.get(row[0])} />
  );
  return (
    <table class="ladder">
      <caption class="for-readers">Order book with own orders</caption>
      <thead>
        <tr>
          <th>Price</th>
          <th>Quantity</th>
          <th>Own</th>
          <th title="estimate of what others have ahead at this price">Ahead</th>
        </tr>
      </thead>
      <tbody>
        {asks.map((row, at) => rowOf(row, at, "ask")).reverse()}
        <tr class="mid">
          <td>{mid === null ? "–" : priceText(mid)}</td>
          <td colSpan={3}>{bookState({ bids, asks, mid, spread, state })}</td>
        </tr>
        {bids.map((row, at) => rowOf(row, at, "bid"))}
      </tbody>
    </table>
  );
}

function Row(props: {
  readonly row: LadderRow;
  readonly most: number;
  readonly side: "bid" | "ask";
  readonly ahead: number | undefined;
}) {
  const { row, most, side, ahead } = props;
  const [price, quantity, own] = row;
  const width = `${Math.min(100, (100 * quantity) / most).toFixed(1)}%`;
  return (
    <tr class={own > 0 ? `${side} own` : side}>
      <td>
        <span class="for-readers">{side} </span>
        {priceText(price)}
      </td>
      <td class="bar" style={{ "--width": width }}>
        {amountText(quantity)}
      </td>
      <td>{own > 0 ? amountText(own) : ""}</td>
      <td>{own > 0 && ahead !== undefined ? amountText(ahead) : ""}</td>
    </tr>
  );
}
