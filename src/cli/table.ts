export interface Column {
  readonly title: string;
  readonly align?: "right";
}

/** A column of numbers. */
export function right(title: string): Column {
  return { title, align: "right" };
}

/** Escape sequences of colours, which take no width. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences begin with a control character
const paint = /\u001b\[\d+m/g;

function width(text: string): number {
  return [...text.replace(paint, "")].length;
}

/** Formats rows as aligned columns, two spaces apart, under their titles unless all are empty. A text is the title of a left column. */
export function table(
  titled: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
): string {
  const columns: readonly Column[] = titled.map((one) =>
    typeof one === "string" ? { title: one } : one,
  );
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
  return table(["", ""], rows);
}
