import type { StrategyPanelSnapshot, LadderRow } from "../../src/dashboard/snapshot.ts";
import { bookState } from "./book-state.ts";
import { amountText, priceText } from "./format.ts";

/** The book around the touch, asks on top. Levels with own orders are marked. */
export function Ladder({ panel }: { readonly panel: StrategyPanelSnapshot }) {
  const { bids, asks, mid } = panel.book;
  const most = Math.max(...[...bids, ...asks].map(([, quantity]) => quantity), 1e-9);
  return (
    <table class="ladder">
      <tbody>
        {[...asks].reverse().map((row) => (
          <Row key={`a${row[0]}`} row={row} most={most} side="ask" />
        ))}
        <tr class="mid">
          <td>{mid === null ? "–" : priceText(mid)}</td>
          <td>{bookState(panel.book)}</td>
          <td>own</td>
        </tr>
        {bids.map((row) => (
          <Row key={`b${row[0]}`} row={row} most={most} side="bid" />
        ))}
      </tbody>
    </table>
  );
}

function Row(props: {
  readonly row: LadderRow;
  readonly most: number;
  readonly side: "bid" | "ask";
}) {
  const { row, most, side } = props;
  const [price, quantity, own] = row;
  const width = `${Math.min(100, (100 * quantity) / most).toFixed(1)}%`;
  return (
    <tr class={own > 0 ? `${side} own` : side}>
      <td>{priceText(price)}</td>
      <td class="bar" style={{ "--width": width }}>
        {amountText(quantity)}
      </td>
      <td>{own > 0 ? amountText(own) : ""}</td>
    </tr>
  );
}
