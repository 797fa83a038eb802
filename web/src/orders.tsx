import { useActions } from "./actions.tsx";
import { ageText, amountText, priceText } from "./format.ts";
import type { ShownMarket } from "./live.ts";
import { WindowedTable } from "./windowed-table.tsx";

/** Own open orders, best price on top of each side. */
export function Orders(props: {
  readonly view: ShownMarket;
  readonly nowMs: number;
  readonly strategy: string;
  readonly onStory: (orderId: string) => void;
}) {
  const { view, nowMs, strategy, onStory } = props;
  const { mayAct, start } = useActions();
  const rows = Object.values(view.orders).sort((left, right) => right.price - left.price);
  return (
    <section class="panel">
      <h2>Own orders ({rows.length})</h2>
      <WindowedTable
        label="Own orders"
        rows={rows}
        head={
          <>
            <th>Side</th>
            <th class="number">Price</th>
            <th class="number">Remaining</th>
            <th class="number" title="estimate of what others have ahead at this price">
              Ahead
            </th>
            <th class="number">Age</th>
            <th>State</th>
            <th class="wide-only">Strategy</th>
            <th>Order</th>
          </>
        }
      >
        {({ orderId, side, price, remaining, queueAhead, madeMs, state }) => (
          <tr key={orderId ?? price} class={side === "BUY" ? "bid" : "ask"}>
            <td>{side === "BUY" ? "bid" : "ask"}</td>
            <td class="number">{priceText(price)}</td>
            <td class="number">{amountText(Number(remaining))}</td>
            <td class="number">{queueAhead === undefined ? "–" : amountText(queueAhead)}</td>
            <td class="number">{ageText(nowMs - madeMs)}</td>
            <td>{state}</td>
            <td class="wide-only">{strategy}</td>
            <td>
              {orderId === undefined ? (
                <span class="muted">not signed yet</span>
              ) : (
                <>
                  <button type="button" class="small" onClick={() => onStory(orderId)}>
                    Why<span class="for-readers"> is order {shortId(orderId)} here</span>
                  </button>
                  {mayAct && (
                    <button
                      type="button"
                      class="small"
                      onClick={() => {
                        const about = `The ${side === "BUY" ? "bid" : "ask"} of ${remaining} at ${price}.`;
                        const body = { orderIds: [orderId] };
                        start({ action: "cancel", title: "Cancel order", about, body });
                      }}
                    >
                      Cancel<span class="for-readers"> order {shortId(orderId)}</span>
                    </button>
                  )}
                </>
              )}
            </td>
          </tr>
        )}
      </WindowedTable>
    </section>
  );
}

export function shortId(orderId: string): string {
  return orderId.slice(0, 10);
}
