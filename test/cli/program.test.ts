import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { CliCommand } from "../../src/cli/command.ts";
import { commandFiles } from "../../src/cli/command-list.ts";
import { buildProgram, type Parsed, suggestionFor } from "../../src/cli/program.ts";

const commands: readonly CliCommand[] = await Promise.all(commandFiles.map((file) => file.load()));

function run(argv: readonly string[]) {
  let chosen: Parsed | undefined;
  let written = "";
  const program = buildProgram(commands, {
    version: "1.2.3",
    write: (text) => {
      written += text;
    },
    columns: 100,
    chosen: (parsed) => {
      chosen = parsed;
    },
  });
  let error: unknown;
  try {
    program.parse([...argv], { from: "user" });
  } catch (thrown) {
    error = thrown;
  }
  return { chosen, written, error };
}

describe.each(commands.map((command) => [command.words.join(" "), command] as const))(
  "%s",
  (name, command) => {
    test("its help shows an example and the global options", () => {
      const { written } = run([...command.words, "--help"]);
      expect(written).toContain(`Usage: touchline ${name}`);
      expect(written).toContain(`  $ touchline ${name}`);
      expect(written).toContain("--json");
      expect(written).toContain("--set <path=value>");
    });

    test("its examples parse", () => {
      for (const example of command.examples) {
        const { chosen, error } = run(example.split(/\s+/));
        expect(error).toBeUndefined();
        expect(chosen?.command).toBe(command);
      }
    });

    const isPath = /[<[](?:file|dir|config|sweep|journal)s?(?:\.\.\.)?[>\]]$/;
    const paths = [
      ...Object.values(command.args).map(({ form, parse }) => ({ form, parse })),
      ...Object.values(command.options).map(({ flags, parse }) => ({ form: flags, parse })),
    ].filter(({ form }) => isPath.test(form));

    test.skipIf(paths.length === 0)("~/ at the beginning of a path is the home folder", () => {
      for (const { form, parse } of paths) {
        expect([parse("~/x/y")].flat(), form).toEqual([path.join(os.homedir(), "x/y")]);
        expect(() => parse("~other/x"), form).toThrow("is not read as a home folder");
      }
    });

    test("an option that does not exist is refused", () => {
      const [example = ""] = command.examples;
      const { error } = run([...example.split(/\s+/), "--no-such-option"]);
      expect(String(error)).toContain("unknown option '--no-such-option'");
    });
  },
);

test("the help lists every command", () => {
  const { written } = run(["--help"]);
  for (const command of commands) expect(written).toContain(command.words[0]);
});

test.each([
  ...new Set(commands.flatMap(({ words: [first = "", second] }) => (second ? first : []))),
])("the group %s says what it is, in its own help and in the whole one", (group) => {
  const about = /\n\n(.+)\.\n/.exec(run([group, "--help"]).written)?.[1];
  expect(about).toMatch(/^[A-Z]\w/);
  const { written } = run(["--help"]);
  expect(written.toLowerCase()).toContain(`${about?.toLowerCase()}: `);
  expect(written).not.toContain("undefined");
});

test("overrides are kept in order", () => {
  const { chosen } = run(["check", "a.yaml", "--set", "a.b=1", "--json", "--set", "c=2=3"]);
  expect(chosen?.overrides).toEqual(["a.b=1", "c=2=3"]);
  expect(chosen?.args).toEqual({ config: "a.yaml" });
});

test.each([
  ["chek", ["chek"], "check"],
  ["--jsn", ["check", "a"], "--json"],
  ["xyzzyx", ["xyzzyx"], undefined],
])("%s is near %s", (unknown, typed, expected) => {
  expect(suggestionFor(unknown, typed, commands)).toBe(expected);
});
