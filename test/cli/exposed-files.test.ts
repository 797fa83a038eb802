import { chmodSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { botYaml } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runLine } from "./run-line.ts";

const folder = temporaryFolder();
const bot = path.join(folder, "bot.yaml");
const key = path.join(folder, "key.json");
const password = path.join(folder, "password");
const signer = "{ type: keystore, path: ./key.json, password: { file: ./password } }";
writeFileSync(
  bot,
  botYaml({
    venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1/ws" },
    account: `account: { signer: ${signer} }`,
  }),
);
const env = { PASSWORD: "a long enough password" };
await runLine(["keystore", "new", key, "--password-env", "PASSWORD"], env);
writeFileSync(password, "a long enough password", { mode: 0o600 });

// Both end after their warnings, since there is no venue.
it.each(["run", "doctor"])("%s warns about secrets that others can read", async (command) => {
  const files = [key, password];
  const said = async (): Promise<string> => {
    const { out, err } = await runLine([command, bot], {});
    return out + err;
  };
  for (const file of files) chmodSync(file, 0o600);
  expect(await said()).not.toContain("other users can read");
  for (const file of files) chmodSync(file, 0o644);
  const text = await said();
  for (const file of files) expect(text).toContain(`other users can read ${file}`);
});
