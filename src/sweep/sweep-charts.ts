import { durationText, parseDurationMs } from "../domain/setting.ts";
import { escapeHtml } from "../base/html-text.ts";
import { valueText } from "./sweep-files.ts";
import type { SweepResult, SweepRow } from "./sweep-result.ts";

/** A dot of a chart. */
interface Dot {
  readonly x: number;
  readonly y: number;
  readonly title: string;
  readonly isFront: boolean;
}

interface Chart {
  readonly dots: readonly Dot[];
  readonly xTitle: string;
  readonly yTitle: string;
  readonly axis: Pick<Axis, "textOf" | "labels">;
  /** Joins the dots of the Pareto front. */
  readonly hasFront: boolean;
}

const WIDTH = 640;
const HEIGHT = 320;
const LEFT = 80;
const BOTTOM = 46;
const EDGE = 14;

/** Objective against maximum drawdown, the Pareto front joined by a line. */
export function paretoChart(rows: readonly SweepRow[], objective: string): string {
  const dots = rows.flatMap((row): readonly Dot[] => {
    const drawdown = row.measures?.maxDrawdown ?? null;
    if (row.objective === null || drawdown === null) return [];
    const title = titleOf(row);
    return [{ x: Number(drawdown), y: row.objective, title, isFront: row.isPareto }];
  });
  const axis = { textOf: numberText };
  return scatter({
    dots,
    xTitle: "max drawdown",
    yTitle: objective,
    axis,
    hasFront: hasOneWindow(rows),
  });
}

/** One chart for each parameter: the objective of every run against its value. */
export function parameterCharts({ parameters, logarithmic, rows, objective }: SweepResult): string {
  const scored = rows.filter((row) => row.phase === "search" && row.objective !== null);
  return parameters
    .map((name, at) => {
      const texts = scored.map((row) => valueText(row.values[at]));
      const axis = logarithmic.includes(name) ? logAxis(axisOf(texts)) : axisOf(texts);
      const dots = scored.map((row): Dot => {
        const x = axis.at(valueText(row.values[at]));
        return { x, y: row.objective ?? 0, title: titleOf(row), isFront: row.isPareto };
      });
      return scatter({ dots, xTitle: name, yTitle: objective, axis, hasFront: false });
    })
    .join("\n");
}

/** Places values of a parameter on an axis. */
interface Axis {
  at(text: string): number;
  textOf(value: number): string;
  /** Values without an order, at 0, 1, 2, …; undefined for numbers. */
  readonly labels?: readonly string[];
}

const numberText = (value: number): string => String(Number(value.toPrecision(4)));
const numberForms: readonly {
  readonly read: (text: string) => number | undefined;
  readonly write: (value: number) => string;
}[] = [
  { read: plainNumberOf, write: numberText },
  {
    read: (text) => (text.endsWith("%") ? plainNumberOf(text.slice(0, -1)) : undefined),
    write: (value) => `${numberText(value)}%`,
  },
  { read: parseDurationMs, write: (value) => durationText(Number(value.toPrecision(4))) },
];

/** Numbers, percentages or durations; anything else is a list of labels. */
function axisOf(texts: readonly string[]): Axis {
  for (const { read, write } of numberForms) {
    if (texts.every((text) => read(text) !== undefined)) {
      return { at: (text) => read(text) ?? 0, textOf: write };
    }
  }
  const labels = [...new Set(texts)].sort();
  return { at: (text) => labels.indexOf(text), textOf: (at) => labels[at] ?? "", labels };
}

/** Equal ratios at equal distances. */
function logAxis({ at, textOf }: Axis): Axis {
  return { at: (text) => Math.log(at(text)), textOf: (value) => textOf(Math.exp(value)) };
}

function plainNumberOf(text: string): number | undefined {
  return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : undefined;
}

function hasOneWindow(rows: readonly SweepRow[]): boolean {
  return rows.every(({ window }) => window === rows[0]?.window);
}

function titleOf({ number, values, objective }: SweepRow): string {
  return `run ${number}: ${values.map(valueText).join(", ")} → ${objective}`;
}

function scatter({ dots, xTitle, yTitle, axis, hasFront }: Chart): string {
  if (dots.length === 0) return "<p>No run counts.</p>";
  const x = scaleOf(
    dots.map((dot) => dot.x),
    LEFT,
    WIDTH - EDGE,
  );
  const y = scaleOf(
    dots.map((dot) => dot.y),
    HEIGHT - BOTTOM,
    EDGE,
  );
  const circles = dots.map((dot) => {
    const place = `cx="${x.at(dot.x)}" cy="${y.at(dot.y)}" r="4"`;
    const kind = dot.isFront ? "front" : "run";
    return `<circle class="${kind}" ${place}><title>${escapeHtml(dot.title)}</title></circle>`;
  });
  const front = dots.filter(({ isFront }) => isFront).sort((left, right) => left.x - right.x);
  const line = front.map((dot) => `${x.at(dot.x)},${y.at(dot.y)}`).join(" ");
  return [
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${escapeHtml(`${yTitle} against ${xTitle}`)}">`,
    `<path class="axis" fill="none" d="M${LEFT} ${EDGE}V${HEIGHT - BOTTOM}H${WIDTH - EDGE}"/>`,
    ...ticksOf(x, axis).map(
      ([value, text]) =>
        `<text x="${x.at(value)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${escapeHtml(text)}</text>`,
    ),
    ...ticksOf(y, { textOf: numberText }).map(
      ([value, text]) =>
        `<text x="${LEFT - 6}" y="${y.at(value) + 4}" text-anchor="end">${text}</text>`,
    ),
    `<text x="${(LEFT + WIDTH) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escapeHtml(xTitle)}</text>`,
    ...(hasFront ? [`<polyline class="line" points="${line}"/>`] : []),
    ...circles,
    "</svg>",
  ].join("\n");
}

interface Scale {
  readonly low: number;
  readonly high: number;
  /** Pixels, with one decimal. */
  at(value: number): number;
}

function scaleOf(values: readonly number[], from: number, to: number): Scale {
  const low = Math.min(...values);
  const high = Math.max(...values);
  const length = high - low;
  const inset = (to - from) * 0.04;
  return {
    low,
    high,
    at: (value) => {
      const share = length === 0 ? 0.5 : (value - low) / length;
      return Number((from + inset + share * (to - from - 2 * inset)).toFixed(1));
    },
  };
}

function ticksOf(
  { low, high }: Scale,
  { labels, textOf }: Chart["axis"],
): readonly (readonly [value: number, text: string])[] {
  if (labels !== undefined) return labels.map((label, at) => [at, label]);
  const values = low === high ? [low] : [low, (low + high) / 2, high];
  return values.map((value) => [value, textOf(value)]);
}
