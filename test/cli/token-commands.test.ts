import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { AccessTokens } from "../../src/dashboard/access-tokens.ts";
import { serveLocal } from "../../src/platform/local-socket.ts";
import { botYaml, ENV_KEY_ACCOUNT } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { runLine } from "./run-line.ts";

/** A bot's configuration with its journal and control socket in a new folder. */
function bot() {
  const folder = temporaryFolder();
  const config = path.join(folder, "bot.yaml");
  const socket = path.join(folder, "control.sock");
  const account = `${ENV_KEY_ACCOUNT}\ncontrol: { socket: ${socket} }`;
  const venue = { rest: "http://127.0.0.1:1", ws: "ws://127.0.0.1:1" };
  writeFileSync(config, botYaml({ venue, account }));
  return { config, socket, tokens: new AccessTokens(path.join(folder, "journal")) };
}

describe("the token commands", () => {
  it("create a token that the bot knows, list it without its text, and revoke it", async () => {
    const { config, tokens } = bot();
    const options = ["--role", "control", "--name", "ops", "--expires", "2d", "--json"];
    const created = await runLine(["token", "create", config, ...options]);
    const token = String(created.events[0]?.["token"]);
    expect(tokens.find(token, Date.now())).toMatchObject({ name: "ops", role: "control" });
    expect(tokens.find(token, Date.now() + 2 * 86_400_000)).toBeUndefined();
    const listed = await runLine(["token", "list", config]);
    expect(listed.out).toContain("ops");
    expect(listed.out).not.toContain(token);
    expect((await runLine(["token", "revoke", config, "ops"])).code).toBe(0);
    expect(tokens.find(token, Date.now())).toBeUndefined();
    expect((await runLine(["token", "revoke", config, "ops", "--json"])).events).toMatchObject([
      { code: "TOKEN_UNKNOWN" },
    ]);
  });

  it("print the login link that the running bot makes", async () => {
    const { config, socket } = bot();
    const requests: string[] = [];
    const server = await serveLocal(socket, async (line) => {
      requests.push(line);
      return JSON.stringify({ ok: true, link: "http://127.0.0.1:8718/login?code=x" });
    });
    onTestFinished(() => server.close());
    const { out } = await runLine(["token", "login", config, "--role", "read"]);
    expect(out).toBe("http://127.0.0.1:8718/login?code=x\n");
    expect(JSON.parse(requests[0] ?? "")).toMatchObject({ command: "login", role: "read" });
  });
});
