import type { DashboardSnapshot } from "../../src/dashboard/snapshot.ts";

/** The bot's limits, and which of them it has derived. */
export function Limits({ limits, panels }: Pick<DashboardSnapshot, "limits" | "panels">) {
  if (limits.length === 0) return null;
  const tickers = new Map(panels.map(({ marketId, ticker }) => [marketId, ticker]));
  return (
    <section class="panel limits">
      <h3>Limits</h3>
      <table>
        <thead>
          <tr>
            <th>limit</th>
            <th>of</th>
            <th>value</th>
            <th>from</th>
          </tr>
        </thead>
        <tbody>
          {limits.map(({ limit, of, value, source }) => (
            <tr key={`${limit} ${of}`}>
              <td>{limit}</td>
              <td>{of === null ? "the bot" : (tickers.get(of) ?? of)}</td>
              <td>{value}</td>
              <td class={source === "derived" ? "derived" : "muted"}>{sourceText[source]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const sourceText = {
  set: "configuration",
  default: "default",
  derived: "derived from balances and mid",
} as const;
