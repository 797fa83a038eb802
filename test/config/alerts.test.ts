import { writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { alertMistakes } from "../../src/config/alerts-config.ts";
import { botConfigFrom } from "../../src/config/load-bot-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import { ConfigError } from "../../src/config/problem.ts";
import { runLine } from "../cli/run-line.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const local = { rest: "http://127.0.0.1:8717", ws: "ws://127.0.0.1:8717/ws" };
const yamlOf = (channels: string) => `${botYaml({ venue: local })}alerts: [${channels}]\n`;

async function problemsOf(channels: string): Promise<readonly string[]> {
  const source = parseYaml({ file: "bot.yaml", text: yamlOf(channels), env: {} });
  try {
    await botConfigFrom(source, { env: {} });
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ key, message }) => `${key}: ${message}`);
  }
}

describe("alerts of a configuration", () => {
  test.each([
    ["{ type: slack }", "alerts[0].url"],
    ["{ type: slack, url: https://hooks.slack.test/s3cret }", "alerts[0].url"],
    ["{ type: slack, url: { env: A, file: b } }", "alerts[0].url"],
    ["{ type: pager, url: { env: A } }", "alerts[0].type"],
    ["{ type: telegram, token: { env: A } }", "alerts[0].chat"],
    ["{ type: slack, url: { env: A }, chat: 5 }", "alerts[0].chat"],
    ["{ type: slack, url: { env: A }, events: [weather] }", "alerts[0].events[0]"],
    ["{ type: slack, url: { env: A }, minSeverity: bad }", "alerts[0].minSeverity"],
    ["{ type: slack, url: { env: A }, group: 2d }", "alerts[0].group"],
    ["{ type: slack, url: { env: A }, perMinute: 0 }", "alerts[0].perMinute"],
    [
      "{ type: slack, url: { env: A }, quietHours: { from: 25:00, to: '07:00' } }",
      "alerts[0].quietHours.from",
    ],
    [
      "{ type: slack, url: { env: A }, quietHours: { from: '07:00', to: '07:00' } }",
      "alerts[0].quietHours.to",
    ],
    [
      "{ type: slack, url: { env: A }, quietHours: { from: '22:00', to: '07:00', zone: Mars } }",
      "alerts[0].quietHours.zone",
    ],
    ["{ type: slack, url: { env: A } }, { type: slack, url: { env: B } }", "alerts[1].name"],
    ["{ type: telegram, token: { env: A }, chat: 5, api: 'http://tg.example' }", "alerts[0].api"],
    ["{ type: telegram, token: { env: A }, chat: 5, api: nonsense }", "alerts[0].api"],
  ])("are refused where they are wrong: %s", async (channels, key) => {
    const problems = await problemsOf(channels);
    expect(problems).toEqual([expect.stringMatching(`^${key.replace(/[[\]]/g, "\\$&")}: `)]);
  });

  test("may be two of a type, with names", async () => {
    const two = "{ type: slack, url: { env: A } }, { type: slack, url: { env: B }, name: night }";
    expect(await problemsOf(two)).toEqual([]);
  });

  test.each([
    ["slack", "url", "", "the environment variable SECRET is not set"],
    ["slack", "url", "hooks.slack.test/x", "is not a web address"],
    ["discord", "url", "http://discord.test/x", "is not encrypted"],
    ["webhook", "url", "ftp://files.test", "is not encrypted"],
    ["telegram", "token", "https://t.me/bot", "is not that of a Telegram bot"],
  ])(
    "whose secret is wrong are found, and the secret is not repeated: %s %s=%s",
    async (type, at, secret, text) => {
      const chat = type === "telegram" ? ", chat: 5" : "";
      const written = yamlOf(`{ type: ${type}, ${at}: { env: SECRET }${chat} }`);
      const config = await botConfigFrom(parseYaml({ file: "bot.yaml", text: written, env: {} }), {
        env: {},
      });
      const mistakes = alertMistakes(config.alerts, { SECRET: secret });
      expect(mistakes).toEqual([{ at: ["alerts", 0, at], message: expect.stringContaining(text) }]);
      if (secret !== "") expect(JSON.stringify(mistakes)).not.toContain(secret);
    },
  );

  test("are named by `check` when a secret is missing or others can read it", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "bot.yaml");
    writeFileSync(
      file,
      yamlOf("{ type: slack, url: { file: ./hook } }, { type: discord, url: { env: NONE } }"),
    );
    writeFileSync(path.join(folder, "hook"), "https://hooks.slack.test/s3cret\n", { mode: 0o644 });
    const { code, err } = await runLine(["check", file]);
    expect(code).toBe(0);
    expect(err).toContain(`other users can read ${path.join(folder, "hook")}`);
    expect(err).toContain("alerts[1].url: the environment variable NONE is not set");
  });
});
