import type { DashboardSnapshot } from "../../src/dashboard/snapshot.ts";

/** The price sources: what is believed of each, and why one is of no use. */
export function Sources({ sources }: Pick<DashboardSnapshot, "sources">) {
  if (sources.length === 0) return null;
  return (
    <section class="panel limits">
      <h3>Price sources</h3>
      <table>
        <thead>
          <tr>
            <th>source</th>
            <th>bid</th>
            <th>ask</th>
            <th>age</th>
            <th>lag</th>
            <th>jumps doubted</th>
            <th>problem</th>
          </tr>
        </thead>
        <tbody>
          {sources.map(({ name, bid, ask, ageMs, lagMs, doubts, problem }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{bid ?? "–"}</td>
              <td>{ask ?? "–"}</td>
              <td>{millisecondsText(ageMs)}</td>
              <td>{millisecondsText(lagMs)}</td>
              <td>{doubts}</td>
              <td class={problem === null ? "muted" : "derived"}>{problem ?? "none"}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function millisecondsText(ms: number | null): string {
  return ms === null ? "–" : `${Math.round(ms)} ms`;
}
