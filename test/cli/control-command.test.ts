import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Interrupt } from "../../src/cli/interrupt.ts";
import { controlledBot } from "../../src/cli/serve-control.ts";
import { serveLocal } from "../../src/platform/local-socket.ts";
import { botYaml, ENV_KEY_ACCOUNT } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runLine } from "./run-line.ts";

/** What an operator reads when the bot at a socket answers `pause`, or another command, with `response`. */
async function answered(
  response: unknown,
  command = ["pause", "--json"],
  asked = (_journal: string): void => undefined,
) {
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
  const server = await serveLocal(socket, async () => {
    asked(path.join(folder, "journal"));
    return JSON.stringify(response);
  });
  onTestFinished(() => server.close());
  const [word = "", ...flags] = command;
  return runLine([word, config, ...flags], {});
}

test("resume does not say that quoting begins again when it ended a step that held back no quote", async () => {
  const resumed = { lifted: ["warn by the session loss of the bot"], remaining: [], stopped: [] };
  const { out } = await answered({ ok: true, resumed }, ["resume"]);
  expect(out).toBe("The bot was resumed.\n  ended: warn by the session loss of the bot\n");
});

test("a stop that cancels counts before one that keeps orders, and does not end well where they were left open", async () => {
  const by = { who: "cli", from: "local socket" };
  const interrupt = new Interrupt(false, () => undefined);
  onTestFinished(() => interrupt.close());
  const stops: unknown[] = [];
  const bot = {
    keepsOrders: true,
    keepOrders: () => undefined,
    stop: (origin: unknown) => void stops.push(origin),
    done: Promise.resolve({ ok: true, reason: "", inQuestion: [], kept: ["0x1"] }),
  };
  const controlled = controlledBot(
    Object({ config: { strategies: [], journal: { path: "" } }, interrupt }),
    Object({ bot }),
  );
  expect(await controlled.stop(true, by)).toMatchObject({ ok: true, kept: ["0x1"] });
  expect(stops).toEqual([]);
  expect(await controlled.stop(false, by)).toMatchObject({ ok: false, inQuestion: ["0x1"] });
  expect(stops).toEqual([by]);
});

test("resume that ends nothing says what holds, and how to end it", async () => {
  const resumed = { lifted: [], remaining: ["reduce only of eth-maker"], stopped: ["eth-maker"] };
  const { out } = await answered({ ok: true, resumed }, ["resume"]);
  expect(out.replaceAll(/\S+\.yaml/g, "bot.yaml")).toBe(
    "Nothing of the bot as a whole was to be ended; reduce only of eth-maker holds on.\n  touchline resume bot.yaml --strategy eth-maker\n",
  );
});

test("a halt is on the disk before the bot is asked, which may have been killed or hang", async () => {
  const files: string[] = [];
  const read = (journal: string): void => {
    files.push(readFileSync(path.join(journal, "HALT"), "utf8"));
  };
  await answered({ ok: true }, ["halt", "--reason", "news"], read);
  expect(files).toEqual(["news\n"]);
  const seen: boolean[] = [];
  const look = (journal: string) => void seen.push(existsSync(path.join(journal, "HALT")));
  await answered({ ok: true }, ["halt", "--strategy", "eth-maker"], look);
  await answered({ ok: true }, ["pause"], look);
  expect(seen).toEqual([false, false]);
});
