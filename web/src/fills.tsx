import type { FillRow } from "../../src/dashboard/api-rows.ts";
import { amountText, priceText, timeText } from "./format.ts";
import { WindowedTable } from "./windowed-table.tsx";

/** Fills of this run, newest first. */
export function Fills(props: {
  readonly fills: readonly FillRow[];
  readonly older: (() => void) | undefined;
  readonly onStory: (orderId: string) => void;
}) {
  const { fills, older, onStory } = props;
  return (
    <section class="panel">
      <h2>
        Fills ({fills.length}
        {older === undefined ? "" : " newest"})
      </h2>
      <WindowedTable
        label="Fills"
        rows={fills}
        head={
          <>
            <th>Time</th>
            <th>Side</th>
            <th class="number">Quantity</th>
            <th class="number">Price</th>
            <th>As</th>
            <th>Order</th>
          </>
        }
      >
        {({ fill, side, timeMs, quantity, price, isMaker, orderId }) => (
          <tr key={fill} class={side === "BUY" ? "bid" : "ask"}>
            <td>
              <span class="muted">{timeText(timeMs)}</span>
            </td>
            <td class="side">{side === "BUY" ? "bought" : "sold"}</td>
            <td class="number">{amountText(Number(quantity))}</td>
            <td class="number">{priceText(Number(price))}</td>
            <td>{isMaker ? "maker" : "taker"}</td>
            <td>
              <button type="button" class="small" onClick={() => onStory(orderId)}>
                Why<span class="for-readers"> fill {fill}</span>
              </button>
            </td>
          </tr>
        )}
      </WindowedTable>
      {older !== undefined && (
        <button type="button" class="small" onClick={older}>
          Older fills
        </button>
      )}
    </section>
  );
}
