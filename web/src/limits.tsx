import type { DashboardSnapshot } from "../../src/dashboard/snapshot.ts";

/** The bot's limits, and which of them it has derived. */
export function Limits({ rows }: { readonly rows: DashboardSnapshot["limits"] }) {
  if (rows.length === 0) return null;
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
          {rows.map(({ limit, of, value, source }) => (
            <tr key={`${limit} ${of}`}>
              <td>{limit}</td>
              <td>{of ?? "the bot"}</td>
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
