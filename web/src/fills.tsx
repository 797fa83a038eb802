import { useState } from "preact/hooks";
import type { FillRow } from "../../src/dashboard/snapshot.ts";
import { amountText, priceText, timeText } from "./format.ts";

const FIRST = 50;

/** Fills of this run, newest first. */
export function Fills(props: {
  readonly fills: readonly FillRow[];
  readonly older: (() => void) | undefined;
  readonly onStory: (orderId: string) => void;
}) {
  const { fills, older, onStory } = props;
  const [most, setMost] = useState(FIRST);
  const hasMore = fills.length > most || older !== undefined;
  const more = (): void => {
    if (fills.length <= most + FIRST) older?.();
    setMost(most + 4 * FIRST);
  };
  return (
    <section class="panel">
      <h2>Fills</h2>
      {fills.length === 0 && <p class="muted">None yet.</p>}
      <div class="list" tabIndex={fills.length > 0 ? 0 : -1} role="region" aria-label="Fills">
        <table class="rows fills">
          <thead>
            <tr>
              <th>Time</th>
              <th>Side</th>
              <th class="number">Quantity</th>
              <th class="number">Price</th>
              <th>As</th>
              <th>Order</th>
            </tr>
          </thead>
          <tbody>
            {fills.slice(0, most).map((fill) => (
              <tr key={fill.fill} class={fill.side === "BUY" ? "bid" : "ask"}>
                <td>
                  <span class="muted">{timeText(fill.timeMs)}</span>
                </td>
                <td class="side">{fill.side === "BUY" ? "bought" : "sold"}</td>
                <td class="number">{amountText(Number(fill.quantity))}</td>
                <td class="number">{priceText(Number(fill.price))}</td>
                <td>{fill.isMaker ? "maker" : "taker"}</td>
                <td>
                  <button type="button" class="small" onClick={() => onStory(fill.orderId)}>
                    Why<span class="for-readers"> fill {fill.fill}</span>
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {hasMore && (
        <button type="button" class="small" onClick={more}>
          Older fills
        </button>
      )}
    </section>
  );
}
