import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { botYaml } from "../support/bot-yaml.ts";
import { useQuickScrypt } from "../support/quick-scrypt.ts";
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
useQuickScrypt();
beforeAll(async () => {
  await runLine(["keystore", "new", key, "--password-env", "PASSWORD"], env);
  writeFileSync(password, "a long enough password", { mode: 0o600 });
});

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

describe.skipIf(process.platform === "win32")("places that every user may change", () => {
  const journal = path.join(folder, "journal");
  const sockets = path.join(folder, "sockets");
  const said = async (command: string): Promise<string[]> => {
    const set = [`--set=journal.path=${journal}`, `--set=control.socket=${sockets}/bot.sock`];
    const { out, err } = await runLine([command, bot, ...set], {});
    return [...(out + err).matchAll(/every user can change what is in (\S+), /g)].map(
      ([, place = ""]) => place,
    );
  };
  mkdirSync(journal);
  mkdirSync(sockets);

  it("are named by doctor: the configuration, a password file, and the folders of journal and socket", async () => {
    expect(await said("doctor")).toEqual([]);
    // In a folder like /tmp nobody can replace the socket, but everybody could make a HALT file.
    chmodSync(sockets, 0o1777);
    chmodSync(journal, 0o1777);
    expect(await said("doctor")).toEqual([journal]);
    chmodSync(sockets, 0o777);
    chmodSync(journal, 0o700);
    expect(await said("doctor")).toEqual([sockets]);
    chmodSync(sockets, 0o700);
    chmodSync(bot, 0o666);
    expect(await said("doctor")).toEqual([bot]);
    chmodSync(bot, 0o644);
    chmodSync(password, 0o602);
    expect(await said("doctor")).toEqual([password]);
    chmodSync(password, 0o600);
    chmodSync(folder, 0o777);
    expect(await said("doctor")).toEqual([folder]);
    chmodSync(folder, 0o700);
  });

  it("are named by doctor: a strategy's own file", async () => {
    const plugin = path.join(folder, "mine.ts");
    const built = new URL("../../strategies/pure-market-making.ts", import.meta.url).pathname;
    writeFileSync(plugin, `export { default } from ${JSON.stringify(built)};`, { mode: 0o644 });
    const before = readFileSync(bot, "utf8");
    writeFileSync(bot, before.replace("plugin: pure-market-making", "plugin: ./mine.ts"));
    expect(await said("doctor")).toEqual([]);
    chmodSync(plugin, 0o646);
    expect(await said("doctor")).toEqual([plugin]);
    writeFileSync(bot, before);
  });

  it.runIf(process.getuid?.() === 0)("are what another user made in them, too", async () => {
    chmodSync(folder, 0o1777);
    chownSync(journal, 60_002, 60_002);
    const { err } = await runLine(["run", bot, `--set=journal.path=${journal}`], {});
    expect(err).toContain(`another user made ${journal}`);
    chownSync(journal, 0, 0);
    chmodSync(folder, 0o700);
  });

  it("are named by run", async () => {
    chmodSync(journal, 0o777);
    expect(await said("run")).toEqual([journal]);
    chmodSync(journal, 0o700);
  });
});
