/**
 * Characters that do not show: those that Unicode lists as ignored in display (marks that turn or join text, CVE-2021-42574; fillers, variation
 * selectors, tags), and anchors of annotations and format controls of hieroglyphs, which it does not list. Line separators count as well.
 */
const hidden =
  "\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\ufff9-\\ufffb\\u{13430}-\\u{1343f}";
/** Characters that a terminal, a log or a page obeys or hides, including the control characters C0 and C1. */
const unsafe = `\\u0000-\\u001f\\u007f-\\u009f${hidden}`;
const runs = new RegExp(`[${unsafe}]+`, "gu");
const exceptLines = new RegExp(`\\u001b\\[(?:[0-2]|3[1-3])m|[${unsafe}]`, "gu");
const linesAndTabs: ReadonlySet<string> = new Set(["\n", "\t"]);

/** Longest text from outside that is shown: a sentence or two. */
const MAX_SHOWN = 300;

/** Text from outside, such as a venue's message, as one line of at most `most` visible characters. */
export function plainText(text: string, most = MAX_SHOWN): string {
  const cut = text.length > most ? `${text.slice(0, most)}…` : text;
  return cut.replace(runs, " ").toWellFormed();
}

/** Whether a text is one line of visible characters. An id that is not is refused, since it could look like another id. */
export function isPlainText(text: string): boolean {
  return text.search(runs) < 0 && text.isWellFormed();
}

/** Text for a terminal: line breaks, tabs and the styles that `Terminal` uses stay, all other characters that are not text are removed. */
export function terminalText(text: string): string {
  return text.replace(exceptLines, (found) =>
    found.startsWith("\u001b[") || linesAndTabs.has(found) ? found : "",
  );
}

const beyondJson = new RegExp(`[\\u007f-\\u009f${hidden}]`, "gu");

/** A line of JSON in which what JSON itself does not escape is escaped as well. */
export function plainJson(line: string): string {
  return line.replace(beyondJson, (found) => {
    let escaped = "";
    for (let at = 0; at < found.length; at += 1) {
      escaped += `\\u${found.charCodeAt(at).toString(16).padStart(4, "0")}`;
    }
    return escaped;
  });
}
