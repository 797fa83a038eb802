import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { serveLocal } from "../../src/platform/local-socket.ts";
import { botYaml, ENV_KEY_ACCOUNT } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runLine } from "./run-line.ts";

/** What an operator reads when the bot at a socket answers `pause`, or another command, with `response`. */
async function answered(response: unknown, command = ["pause", "--json"]) {
  const folder = temporaryFolder();
  const config = path.join(folder, "bot.yaml");
  const socket = path.join(folder, "control.sock");
  writeFileSync(
    config,
    botYaml({
      venue: { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1" },
      account: `${ENV_KEY_ACCOUNT}\ncontrol: { socket: ${socket} }`,
    }),
  );
  const server = await serveLocal(socket, async () => JSON.stringify(response));
  onTestFinished(() => server.close());
  const [word = "", ...flags] = command;
  return runLine([word, config, ...flags], {});
}

test("resume does not say that quoting begins again when it ended a step that held back no quote", async () => {
  const resumed = { lifted: ["warn by the session loss of the bot"], remaining: [] };
  const { out } = await answered({ ok: true, resumed }, ["resume"]);
  expect(out).toBe("The bot was resumed.\n  ended: warn by the session loss of the bot\n");
});
