/**
 * What a terminal, a log or a page takes for a command or hides: C0 and C1 control characters, marks that turn or join text
 * (CVE-2021-42574), line separators, and halves of surrogate pairs.
 */
const unsafe =
  "\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff";
const runs = new RegExp(`[${unsafe}]+`, "g");
const exceptLines = new RegExp(`\\u001b\\[(?:[0-2]|3[1-3])m|[${unsafe}]`, "g");
const linesAndTabs: ReadonlySet<string> = new Set(["\n", "\t"]);

/** Longest text from outside that is shown: a sentence or two. */
const MAX_SHOWN = 300;

/** Text from outside, such as a venue's message, as one line of at most `most` characters that only shows. */
export function plainText(text: string, most = MAX_SHOWN): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(runs, " ").toWellFormed();
}

/** Whether a text only shows, as a line. An id that does not is refused: with other characters it would be another id. */
export function isPlainText(text: string): boolean {
  return text.search(runs) < 0 && text.isWellFormed();
}

/** Text for a terminal: line breaks, tabs and the styles that `Terminal` uses stay, everything else that is no text goes. */
export function terminalText(text: string): string {
  return text.replace(exceptLines, (found) =>
    found.length > 1 || linesAndTabs.has(found) ? found : "",
  );
}

const beyondJson = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A line of JSON in which what JSON itself does not escape is escaped as well. */
export function plainJson(line: string): string {
  return line.replace(
    beyondJson,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
