import type { Response } from "./api.ts";
import { amountText, moneyText, shareText, timeText } from "./format.ts";

type Figures = Response<"proposal">["before"];

const amountOr = (value: number | string | null): string =>
  value === null ? "–" : amountText(Number(value));

const rows: readonly (readonly [string, (figures: Figures) => string])[] = [
  ["Fills", ({ fills }) => String(fills)],
  ["PnL", ({ pnl }) => moneyText(pnl?.total)],
  ["of it from the spread", ({ pnl }) => moneyText(pnl?.spread)],
  ["of it from inventory", ({ pnl }) => moneyText(pnl?.inventory)],
  ["of it fees", ({ pnl }) => moneyText(pnl?.fees)],
  ["Largest drawdown", ({ maxDrawdown }) => amountOr(maxDrawdown)],
  ["Volume", ({ volumeQuote }) => amountOr(volumeQuote)],
  ["Bid quoted", ({ uptimeBid }) => shareText(uptimeBid)],
  ["Ask quoted", ({ uptimeAsk }) => shareText(uptimeAsk)],
  ["Filled of placed", ({ fillRatio }) => shareText(fillRatio)],
];

/** Figures of a replay with the present parameters and with changed ones. */
export function Effect({ replayed }: { readonly replayed: Response<"proposal"> }) {
  const { fromMs, toMs, before, after, notModelled } = replayed;
  return (
    <section aria-label="Effect of the change">
      <h3>
        Replay of {timeText(fromMs)} to {timeText(toMs)}
      </h3>
      <table class="rows effect">
        <thead>
          <tr>
            <th>Figure</th>
            <th class="number">Before</th>
            <th class="number">After</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, textOf]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{textOf(before)}</td>
              <td class="number">{textOf(after)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>What the figures leave out</summary>
        <ul class="plain muted">
          {notModelled.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      </details>
    </section>
  );
}
