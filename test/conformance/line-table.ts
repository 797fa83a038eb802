import { casesByFile } from "./all-cases.ts";
import { lines, sectionOf, type VenueLine } from "./venue-lines.ts";

/** The table of docs/venue-coverage.md: each line of the interface with its code and what shows it. */

const fileOf = new Map(
  Object.entries(casesByFile).flatMap(([file, cases]) => cases.map(({ id }) => [id, file])),
);

export function lineTable(): string {
  const sections = new Map<string, VenueLine[]>();
  for (const line of lines) {
    const section = sectionOf(line.id);
    sections.set(section, [...(sections.get(section) ?? []), line]);
  }
  return [...sections]
    .map(([section, found]) => {
      const title = section.startsWith("D") ? section : `§${section}`;
      const rows = found.map(
        (line) => `| ${line.id} | ${cell(line.says)} | ${line.code} | ${shownBy(line)} |`,
      );
      return [
        `### ${title}`,
        "",
        "| case | line | code | test |",
        "|---|---|---|---|",
        ...rows,
        "",
      ];
    })
    .flat()
    .join("\n");
}

function shownBy(line: VenueLine): string {
  const file = fileOf.get(line.id);
  if (file !== undefined) return `cases/${file}`;
  if (line.see !== undefined) return line.see.join(", ");
  return (line.tests ?? []).join(", ");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
