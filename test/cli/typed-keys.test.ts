import { expect, it } from "vitest";
import type { CliCommand } from "../../src/cli/command.ts";
import { commandFiles } from "../../src/cli/command-list.ts";
import { refuseTypedKeys } from "../../src/cli/typed-keys.ts";
import { touchline } from "../support/touchline-process.ts";

const commands: readonly CliCommand[] = await Promise.all(commandFiles.map((file) => file.load()));
const key = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
const id = `0x${key}`;

it.each([
  [["run", key]],
  [["run", "bot.yaml", "--set", `account.signer.name=${id}`]],
  [["run", "bot.yaml", `--set=account.owner=${id}`]],
  [[id]],
  [["order", "shw", id]],
  [["order", "show", key]],
  [["order", "cancel", id, "--signer-env", id]],
  [["order", "cancel", id, `--signer-env=${id}`]],
  [["keystore", "import", id]],
  [["account", "transfer", "1", "1", id]],
  // Of commands that take an order id elsewhere.
  [["order", "show", `--private-key=${id}`]],
  [["order", "show", "--private-key", id]],
  [["order", "show", `-k${id}`]],
  [["order", "show", `--json=${id}`, id]],
  [["order", "show", `--json=${id}`]],
  [["order", "show", id, id]],
  [["order", "show", `key=${id}`]],
  [["order", "show", "--", id, id]],
  [["journal", "show", id, id]],
])("a private key on the command line is refused and not repeated: %j", (typed) => {
  expect(() => refuseTypedKeys(typed, commands)).toThrow(/looks like a private key/);
  expect(() => refuseTypedKeys(typed, commands)).not.toThrow(new RegExp(key));
});

it.each([
  [["order", "show", id]],
  [["order", "show", "--json", id]],
  [["order", "cancel", "--signer-env", "NAME", id]],
  [["order", "modify", id, "1", "2000"]],
  [["account", "retry-withdraw", id]],
  [["journal", "show", "data/journal", id]],
  [["order", "show", "--", id]],
  [["order", "cancel", "--signer-env=NAME", id]],
])("an order id is no key: %j", (typed) => {
  expect(refuseTypedKeys(typed, commands)).toBeUndefined();
});

it("the program itself refuses it with exit code 2", async () => {
  const { code, lines, stderr } = await touchline(["chek", "--kee", key]);
  expect(code).toBe(2);
  expect(JSON.stringify(lines) + stderr).toContain("looks like a private key");
  expect(JSON.stringify(lines) + stderr).not.toContain(key);
});
