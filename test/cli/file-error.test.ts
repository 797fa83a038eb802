import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fileError } from "../../src/cli/file-error.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runLine } from "./run-line.ts";

test.each([
  { args: ["journal", "ls"], beyond: "", what: "a part of the path is a file, not a folder" },
  { args: ["init"], beyond: "project", what: "a part of the path is a file, not a folder" },
  {
    args: ["keystore", "new", "--password-env", "PASSWORD"],
    beyond: "key.json",
    what: "a file of this name is in the way",
  },
])(
  "$args with a path through a file says so, and calls it no bug",
  async ({ args, beyond, what }) => {
    const file = path.join(temporaryFolder(), "a-file");
    writeFileSync(file, "");
    const line = [...args, path.join(file, beyond), "--json"];
    const ran = await runLine(line, { PASSWORD: "secret-secret-secret" });
    expect(ran.code).toBe(1);
    expect(ran.events.at(-1)).toEqual({
      event: "error",
      code: "FILE_REFUSED",
      message: expect.stringMatching(new RegExp(`^Cannot use ${file}.*: ${what}\\.$`)),
      hint: expect.stringContaining("Choose another path"),
    });
  },
);

test("an error of the system is a file's only with a path and a code that a user can do something about", () => {
  const refused = Object.assign(new Error("EACCES"), { code: "EACCES", path: "data/journal" });
  expect(fileError(refused)?.message).toBe("Cannot use data/journal: permission denied.");
  expect(fileError(Object.assign(new Error("EACCES"), { code: "EACCES" }))).toBeUndefined();
  expect(fileError(Object.assign(new Error("x"), { code: "EBADF", path: "x" }))).toBeUndefined();
  expect(fileError(new TypeError("x is not a function"))).toBeUndefined();
});
