/** The beginning of a text that a spreadsheet would run as a formula. A signed number is not one. */
const formula = /^(?:[=@\t\r]|[+-](?!\d+(?:\.\d+)?$))/;

/**
 * One line of comma-separated values (RFC 4180). A missing value is empty. A text that a spreadsheet would run as a formula, such as an id of the
 * venue that begins with `=`, gets an apostrophe in front.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return cells
    .map((cell) => {
      const given = cell === null ? "" : String(cell);
      const text = typeof cell === "string" && formula.test(given) ? `'${given}` : given;
      return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    })
    .join(",");
}
