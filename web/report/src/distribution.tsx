import type { Bin } from "../../../src/backtest/report-figures.ts";
import { Legend } from "./legend.tsx";

/** Two distributions over the same bins, as bars. */
export function Distribution(props: {
  readonly bins: readonly Bin[];
  readonly unit: string;
  readonly names: readonly [one: string, other: string];
}) {
  const { bins, unit, names } = props;
  if (bins.length === 0) return <p class="muted">Nothing to show.</p>;
  const most = Math.max(...bins.flatMap(({ one, other }) => [one, other]));
  const bar = (share: number, color: string) =>
    share > 0 && (
      <div style={{ width: `${(share / most) * 100}%`, background: `var(--${color})` }} />
    );
  const percent = (share: number) => (share === 0 ? "–" : (share * 100).toFixed(1));
  return (
    <>
      <Legend
        title={unit}
        entries={[
          { label: `${names[0]}, %`, color: "muted" },
          { label: `${names[1]}, %`, color: "accent" },
        ]}
      />
      <table class="bars">
        <tbody>
          {bins.map(({ label, one, other }) => (
            <tr key={label}>
              <td>{label}</td>
              <td>
                {bar(one, "muted")}
                {bar(other, "accent")}
              </td>
              <td>
                {percent(one)} · {percent(other)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
