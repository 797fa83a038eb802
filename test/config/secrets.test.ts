import { describe, expect, it } from "vitest";
import { botConfigFrom } from "../../src/config/load-bot-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import { ConfigError } from "../../src/config/problem.ts";
import { botYaml } from "../support/bot-yaml.ts";

const key = "4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318";
const local = { rest: "http://127.0.0.1:8717", ws: "ws://127.0.0.1:8717/ws" };

/** The error's text; empty when the configuration is accepted. */
async function problemsOf(
  text: string,
  more: { env?: Record<string, string>; overrides?: string[] } = {},
): Promise<string> {
  const source = parseYaml({ file: "bot.yaml", text, env: {}, ...more });
  try {
    await botConfigFrom(source, { env: {} });
    return "";
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return `${error.message}\n${JSON.stringify(error.problems)}`;
  }
}

describe("a private key in a configuration", () => {
  const good = botYaml({ venue: local });
  it.each([
    ["as a value", `${good}owner: 0x${key}\n`],
    ["without 0x", good.replace("name: TOUCHLINE_KEY", `name: ${key}`)],
    ["in capitals", `${good}x: 0X${key.toUpperCase()}\n`],
    ["as a key", `${good}"${key}": 1\n`],
    ["twice as a key", `${good}${key}: 1\n${key}: 1\n`],
    ["in a comment", `${good}# my key: ${key}\n`],
    ["in a strategy's parameters", good.replace("levels: 1", `levels: 1, key: "0x${key}"`)],
    ["in a text that is no YAML", `${good}\t{ ${key}`],
    ["over two lines", good.replace("./journal", `"0x${key.slice(0, 9)}\\\n    ${key.slice(9)}"`)],
    ["with an escape", good.replace("./journal", `"\\x34${key.slice(1)}"`)],
    ["as a key with an escape", `${good}"\\x34${key.slice(1)}": 1\n`],
    [
      "twice as a key with an escape",
      `${good}"\\x34${key.slice(1)}": 1\n"\\x34${key.slice(1)}": 1\n`,
    ],
    ["as a tag with an escape", `${good}x: !%34${key.slice(1)} 1\n`],
    ["as an alias", `${good}x: &x "\\x34${key.slice(1)}"\ny: *x\n`],
  ])("is refused and not repeated: %s", async (_, text) => {
    const problems = await problemsOf(text);
    expect(problems).toContain("looks like a private key");
    expect(problems.toLowerCase()).not.toContain(key.slice(1));
  });

  it("is refused and not repeated when a variable or a flag holds it", async () => {
    const env = { KEY: `0x${key}` };
    const byVariable = await problemsOf(good.replace("./journal", '"${KEY}"'), { env });
    const byFlag = await problemsOf(good, { overrides: [`journal.path=${key}`] });
    for (const problems of [byVariable, byFlag]) {
      expect(problems).toContain("looks like a private key");
      expect(problems).not.toContain(key);
    }
  });

  it("is not mistaken for an address, a signature or a long text", async () => {
    const comment = `# 0x${key.slice(0, 40)} 0x${key}${key} ${"word".repeat(30)}\n`;
    expect(await problemsOf(good + comment)).toBe("");
  });
});

describe("a venue that is reached without encryption", () => {
  it.each([
    ["http://venue.example", local.ws, "venue.rest"],
    [local.rest, "ws://10.0.0.1/ws", "venue.ws"],
    ["http://127.0.0.1.example", local.ws, "venue.rest"],
    ["http://0.0.0.0", local.ws, "venue.rest"],
  ])("is refused: %s and %s", async (rest, ws, key) => {
    const problems = await problemsOf(botYaml({ venue: { rest, ws } }));
    expect(problems).toContain(`${key}: is not encrypted`);
    expect(problems).toContain("allowInsecure: true");
    const allowed = botYaml({ venue: { rest, ws } }).replace(
      "chainId",
      "allowInsecure: true, chainId",
    );
    expect(await problemsOf(allowed)).toBe("");
  });

  it.each([
    ["https://venue.example", "wss://venue.example/ws"],
    ["http://localhost:1", "ws://[::1]:1/ws"],
    ["http://127.8.9.1", "ws://[::ffff:127.0.0.1]/ws"],
  ])("is accepted when it is encrypted or on this machine: %s and %s", async (rest, ws) => {
    expect(await problemsOf(botYaml({ venue: { rest, ws } }))).toBe("");
  });
});

describe("a page that other machines reach", () => {
  const yaml = (dashboard: string) => `${botYaml({ venue: local })}dashboard: ${dashboard}\n`;

  it.each(["0.0.0.0", "::"])("under every address names its hosts: %s", async (host) => {
    expect(await problemsOf(yaml(`{ host: "${host}" }`))).toContain("dashboard.host");
    expect(await problemsOf(yaml(`{ host: "${host}", allowedHosts: [bots.example] }`))).toBe("");
  });

  it("needs no name on one address", async () => {
    for (const host of ["127.0.0.1", "localhost", "::1", "192.168.1.2", "my-server"]) {
      expect(await problemsOf(yaml(`{ host: "${host}" }`))).toBe("");
    }
  });

  it.each(["*", "bots.example:80", "http://bots.example", "bots.example/"])(
    "is not reached under %s",
    async (name) => {
      expect(await problemsOf(yaml(`{ allowedHosts: ["${name}"] }`))).toContain("host name");
    },
  );
});
