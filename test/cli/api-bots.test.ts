import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { type ApiBot, apiBots } from "../../src/cli/api-bots.ts";
import { botYaml } from "../support/bot-yaml.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const file = (name: string, text: string): string => {
  const whole = path.join(folder, name);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  return whole;
};
const venue = { rest: "http://127.0.0.1:8717", ws: "ws://127.0.0.1:8717/ws" };
const bot = (name: string, port = 8718) =>
  file(name, `${botYaml({ venue })}dashboard: { host: 127.0.0.1, port: ${port} }\n`);
const open = (places: readonly string[], tokenFiles: readonly string[] = []) =>
  apiBots(places, {
    tokenFiles,
    isAgent: false,
    overrides: [],
    env: { TOUCHLINE_TOKEN: "secret" },
  });
/** What is sent to each bot as its token. */
const sent = async (bots: readonly ApiBot[]) => {
  const tokens: unknown[] = [];
  vi.stubGlobal("fetch", async (_: URL, { headers }: { headers: Record<string, string> }) => {
    tokens.push(headers["authorization"]);
    return Response.json({});
  });
  for (const { api } of bots) await api.get("/overview");
  return tokens;
};

afterEach(() => void vi.unstubAllGlobals());

test("bots have names of their own, with as much of the path as tells them apart", async () => {
  const places = [bot("a/two.yaml"), bot("two.yaml", 8720), bot("two.yml"), bot("one.yaml")];
  const addresses = ["http://127.0.0.1:8718", "https://127.0.0.1:8718", "https://one"];
  const names = (await open([...places, ...addresses])).map(({ name }) => name);
  expect(names).toEqual([
    "a/two.yaml",
    `${path.basename(folder)}/two.yaml`,
    "two.yml",
    "one.yaml",
    "http://127.0.0.1:8718",
    "https://127.0.0.1:8718",
    "https://one",
  ]);
  expect((await open(places.slice(0, 1))).map(({ name }) => name)).toEqual(["two"]);
});

test("a bot that is given twice is one", async () => {
  const place = bot("one.yaml");
  expect(await open([place, path.relative("", place), "https://x/#a", "https://x"])).toHaveLength(
    2,
  );
});

test("a token is sent to the bot it was given for, and to no other", async () => {
  const [one, two] = [bot("one.yaml"), "https://bots.example"];
  expect(await sent(await open([one]))).toEqual(["Bearer secret"]);
  expect(await sent(await open([two]))).toEqual(["Bearer secret"]);
  expect(await sent(await open([one, two]))).toEqual([undefined, undefined]);
  const token = file("reader.token", "for-two\n");
  expect(await sent(await open([one, two], [`${two}=${token}`]))).toEqual([
    undefined,
    "Bearer for-two",
  ]);
  expect(await sent(await open([one], [token]))).toEqual(["Bearer for-two"]);
  await expect(open([one, two], [token])).rejects.toThrow("does not say whose token it is");
});

test("a token goes to another machine only over https", async () => {
  const refused = { code: "TOKEN_IN_CLEAR" };
  await expect(open(["http://bots.example:8718"])).rejects.toMatchObject(refused);
  expect(await open(["http://bots.example:8718", "http://other"])).toHaveLength(2);
  for (const place of ["http://[::1]:8718", "http://localhost:8718"]) {
    expect(await sent(await open([place]))).toEqual(["Bearer secret"]);
  }
});
