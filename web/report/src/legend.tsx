import type { ChartColors } from "../../src/use-chart.ts";

export interface LegendEntry {
  readonly label: string;
  readonly color: keyof ChartColors;
  readonly text?: string;
}

export function Legend(props: {
  readonly title: string;
  readonly entries: readonly LegendEntry[];
}) {
  return (
    <div class="legend">
      {props.title !== "" && <span>{props.title}</span>}
      {props.entries.map(({ label, color, text }) => (
        <span key={label}>
          <i style={{ background: `var(--${color})` }} />
          {label} {text !== undefined && <b>{text}</b>}
        </span>
      ))}
    </div>
  );
}
