import type { OpenedPage } from "./bot-page.ts";
import type { Terminal } from "./terminal.ts";

/** Says where the page is, and on a terminal how to log in. */
export function sayPage(terminal: Terminal, page: OpenedPage | undefined): void {
  if (page === undefined) return;
  terminal.say(`  dashboard  ${terminal.bold(page.url)}`);
  if (page.login === undefined) return;
  terminal.say(`  to act     ${page.login}`);
  terminal.say(terminal.dim("             logs one browser in, within ten minutes"));
}
