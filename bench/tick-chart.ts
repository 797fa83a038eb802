import { readFileSync, writeFileSync } from "node:fs";
import type { CaseReport } from "./report.ts";

/**
 * Draws where the time of a tick goes: reads the lines of `npm run bench -- --json G1 G1b` from a file and writes an SVG.
 *
 *   npx node bench/tick-chart.ts LINES.jsonl docs/images/tick.svg
 */

const WIDTH = 860;
const LEFT = 16;
const BAR_HEIGHT = 34;
const ROW_HEIGHT = 84;
const LEGEND_HEIGHT = 64;
/** Readable on white and on black, and distinct for colour-blind readers (Okabe and Ito's palette). */
const colours = ["#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#999999"];

const [source, target] = process.argv.slice(2);
if (source === undefined || target === undefined) {
  process.stderr.write("usage: npx node bench/tick-chart.ts LINES.jsonl OUT.svg\n");
  process.exit(2);
}
const reports = readFileSync(source, "utf8")
  .split("\n")
  .filter((line) => line.startsWith("{"))
  .map((line) => JSON.parse(line) as CaseReport)
  .filter(({ parts }) => Object.keys(parts).length > 0);
writeFileSync(target, chartOf(reports));

function chartOf(rows: readonly CaseReport[]): string {
  const sums = rows.map(({ parts }) => Object.values(parts).reduce((sum, us) => sum + us, 0));
  const scale = (WIDTH - 2 * LEFT) / Math.max(...sums);
  const names = Object.keys(rows[0]?.parts ?? {});
  const height = rows.length * ROW_HEIGHT + LEGEND_HEIGHT;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="14">`,
    "<style>text { fill: #222 } @media (prefers-color-scheme: dark) { text { fill: #ddd } } .on { fill: #000 }</style>",
  ];
  for (const [row, { title, parts }] of rows.entries()) {
    const top = row * ROW_HEIGHT + 24;
    lines.push(text(LEFT, top, `${title}: ${short(sums[row] ?? 0)} µs`));
    let left = LEFT;
    for (const [at, us] of Object.values(parts).entries()) {
      const width = us * scale;
      lines.push(
        `<rect x="${short(left)}" y="${top + 10}" width="${short(width)}" height="${BAR_HEIGHT}" fill="${colourOf(at)}"/>`,
      );
      if (width > 34) {
        lines.push(text(left + width / 2, top + 32, short(us), 'text-anchor="middle" class="on"'));
      }
      left += width;
    }
  }
  for (const [at, name] of names.entries()) {
    const left = LEFT + (at % 3) * 280;
    const top = rows.length * ROW_HEIGHT + 16 + Math.floor(at / 3) * 24;
    lines.push(
      `<rect x="${left}" y="${top - 11}" width="12" height="12" fill="${colourOf(at)}"/>`,
      text(left + 20, top, name),
    );
  }
  return `${[...lines, "</svg>"].join("\n")}\n`;
}

function text(left: number, top: number, words: string, more = ""): string {
  return `<text x="${short(left)}" y="${short(top)}" ${more}>${words}</text>`;
}

function colourOf(at: number): string {
  return colours[at % colours.length] ?? "#999999";
}

function short(value: number): string {
  return String(Number(value.toFixed(1)));
}
