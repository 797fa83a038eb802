export interface Column {
  readonly title: string;
  /** Numbers should be aligned right. */
  readonly align?: "left" | "right";
}

/** Escape sequences of colours, which take no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const paint = /\u001b\[\d+m/g;

function width(text: string): number {
  return [...text.replace(paint, "")].length;
}

/** Formats rows as aligned columns, two spaces apart, under their titles unless all titles are empty. */
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

/** Formats lines of `name  value`. */
export function pairs(rows: readonly (readonly [name: string, value: string])[]): string {
  return table([{ title: "" }, { title: "" }], rows);
}
