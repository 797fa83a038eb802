import type { SummaryRiskStep } from "../../../src/metrics/summary.ts";
import { dateText } from "./utc-text.ts";

/** What the risk ladder did, a row for each step; nothing when it did nothing. */
export function RiskSteps({ steps }: { readonly steps: readonly SummaryRiskStep[] }) {
  if (steps.length === 0) return null;
  return (
    <section class="panel">
      <h3>Risk ladder</h3>
      <table class="steps">
        <tbody>
          {steps.map(({ atMs, strategy, trigger, step, message }, at) => (
            <tr key={at}>
              <td>{dateText(atMs)}</td>
              <td>
                <b class={`step ${step}`}>{step}</b>
              </td>
              <td>{trigger}</td>
              <td>
                {strategy === null ? "" : `${strategy}: `}
                {message}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
