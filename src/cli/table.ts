export interface Column {
  readonly title: string;
  /** Numbers read best to the right. */
  readonly align?: "left" | "right";
}

/** Colour sequences take no room. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one
const paint = /\u001b\[\d+m/g;

function width(text: string): number {
  return [...text.replace(paint, "")].length;
}

/** Rows as aligned columns under their titles, two spaces apart; without titles when all are empty. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const titles = columns.map((column) => column.title);
  const lines = titles.every((title) => title === "") ? rows : [titles, ...rows];
  const widths = columns.map((_, at) => Math.max(0, ...lines.map((line) => width(line[at] ?? ""))));
  return lines
    .map((line) =>
      columns
        .map((column, at) => {
          const text = line[at] ?? "";
          const gap = " ".repeat((widths[at] ?? 0) - width(text));
          return column.align === "right" ? gap + text : text + gap;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** `name  value` lines. */
export function pairs(rows: readonly (readonly [name: string, value: string])[]): string {
  return table([{ title: "" }, { title: "" }], rows);
}
