import { useActions } from "./actions.tsx";
import { ageText, amountText, priceText } from "./format.ts";
import type { Shown } from "./live.ts";
import { shortId } from "./orders.tsx";
import { WindowedTable } from "./windowed-table.tsx";

/** Orders of other programs and of people on the bot's account, in one market or in all; nothing where there are none. */
export function Foreign({ shown, market }: { readonly shown: Shown; readonly market?: string }) {
  const { mayAct, start } = useActions();
  const { foreign, nowMs } = shown;
  const rows = Object.entries(foreign.orders).filter(
    ([, row]) => market === undefined || row.market === market,
  );
  const unseen = foreign.count - Object.keys(foreign.orders).length;
  if (rows.length === 0) return null;
  return (
    <section class="panel">
      <h2>Foreign orders of the account ({rows.length})</h2>
      <WindowedTable
        label="Foreign orders of the account"
        rows={rows}
        head={
          <>
            <th>Market</th>
            <th>Side</th>
            <th class="number">Price</th>
            <th class="number">Remaining</th>
            <th class="number">Age</th>
            <th>Order</th>
          </>
        }
      >
        {([orderId, row]) => {
          const { side, price, remaining, madeMs, takers } = row;
          const sideText = side === "BUY" ? "bid" : "ask";
          const what = `The foreign ${sideText} of ${remaining} at ${price} in ${tickerOf(shown, row.market)}`;
          return (
            <tr key={orderId} class={sideText}>
              <td>{tickerOf(shown, row.market)}</td>
              <td>{sideText}</td>
              <td class="number">{priceText(Number(price))}</td>
              <td class="number">{amountText(Number(remaining))}</td>
              <td class="number">{ageText(nowMs - madeMs)}</td>
              <td>
                {!mayAct && <span class="muted">{shortId(orderId)}</span>}
                {mayAct && (
                  <button
                    type="button"
                    class="small"
                    onClick={() =>
                      start({
                        action: "cancel",
                        title: "Cancel order",
                        about: `${what}.`,
                        body: { orderIds: [orderId] },
                      })
                    }
                  >
                    Cancel<span class="for-readers"> order {shortId(orderId)}</span>
                  </button>
                )}
                {mayAct &&
                  takers.map((strategy) => (
                    <button
                      key={strategy}
                      type="button"
                      class="small"
                      onClick={() =>
                        start({
                          action: "take-over",
                          title: "Take over",
                          about: `${what}, for ${strategy}.`,
                          body: { strategy, orderId },
                        })
                      }
                    >
                      Take over for {strategy}
                      <span class="for-readers"> (order {shortId(orderId)})</span>
                    </button>
                  ))}
              </td>
            </tr>
          );
        }}
      </WindowedTable>
      {unseen > 0 && <p class="muted">{unseen} more orders of the account are not listed here.</p>}
    </section>
  );
}

function tickerOf({ rows }: Shown, market: string): string {
  return Object.values(rows).find((row) => row.market === market)?.ticker ?? market;
}
