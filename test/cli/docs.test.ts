import { readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { CliCommand } from "../../src/cli/command.ts";
import { commandFiles } from "../../src/cli/command-list.ts";

/** The table of docs/by-hand.md is made from the commands themselves: a row for the commands that share a first word. */

const shown = ["market", "order", "account", "session", "position"];
const place =
  /(<!-- commands: made from the code, UPDATE_DOCS=1 -->\n)[^]*?(<!-- end of commands -->)/;

function formOf({ words, args }: CliCommand): string {
  return `\`${[...words.slice(1), ...Object.values(args).map(({ form }) => form)].join(" ")}\``;
}

test("docs/by-hand.md has the commands of the code (UPDATE_DOCS=1 writes them)", async () => {
  const file = new URL("../../docs/by-hand.md", import.meta.url);
  const text = readFileSync(file, "utf8");
  const files = commandFiles.filter(({ words }) => shown.includes(words[0] ?? ""));
  const commands = await Promise.all(files.map((each) => each.load()));
  const rows = shown.map((word) => {
    const forms = commands.filter(({ words }) => words[0] === word).map(formOf);
    return `| \`${word}\` | ${forms.join(", ")} |`;
  });
  const table = ["| command | |", "|---|---|", ...rows, ""].join("\n");
  expect(text).toMatch(place);
  const wanted = text.replace(place, (_, head: string, tail: string) => head + table + tail);
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(file, wanted);
  expect(readFileSync(file, "utf8")).toBe(wanted);
});
