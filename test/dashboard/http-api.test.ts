import { Validator } from "@seriousme/openapi-schema-validator";
import { mkdtempSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { actionNames } from "../../src/control/actions.ts";
import { ApiClient } from "../../src/cli/api-client.ts";
import { relayedAction } from "../../src/cli/relayed-action.ts";
import { AccessTokens, type Role } from "../../src/dashboard/access-tokens.ts";
import { PROPOSAL_PATH, resources } from "../../src/dashboard/api-resources.ts";
import { openApi } from "../../src/dashboard/open-api.ts";
import { PageAccess } from "../../src/dashboard/page-access.ts";
import { PageServer } from "../../src/dashboard/page-server.ts";
import {
  type DashboardOptions,
  type RunningDashboard,
  startDashboard,
} from "../../src/dashboard/server.ts";
import { SeveralBots } from "../../src/dashboard/several-bots.ts";
import { Sessions } from "../../src/dashboard/sessions.ts";
import type { CommandOrigin } from "../../src/domain/command-origin.ts";
import pureMarketMaking from "../../strategies/pure-market-making.ts";
import { sendRaw } from "../support/raw-socket.ts";
import { driver, observed } from "./observed.ts";
import { pageSettings } from "./page-settings.ts";

const strategies = [
  {
    name: "maker",
    plugin: "pure-market-making",
    marketId: "1_2",
    writtenParams: { size: "1" },
    definition: pureMarketMaking,
  },
];

let running: RunningDashboard | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

/** A page on a loopback port. `commands` are the requests that its bot got, with who gave them. */
async function start(options: Partial<DashboardOptions> = {}) {
  const commands: { line: unknown; by: CommandOrigin }[] = [];
  const settings = { ...pageSettings(), ...options };
  const fold = observed();
  running = await startDashboard({
    ...settings,
    snapshot: (sinceMs) => fold.snapshot(driver, sinceMs),
    strategies: () => strategies,
    command: async (line, by) => {
      commands.push({ line: JSON.parse(line), by });
      return JSON.stringify({ ok: true });
    },
    ...options,
  });
  const { url } = running;
  const tokens = new AccessTokens(settings.journal);
  const token = (role: Role, name: string = role): string =>
    tokens.create({ name, role, createdMs: Date.now(), expiresMs: null });
  return { url, port: Number(new URL(url).port), tokens, token, commands, page: running };
}

let read: Promise<{ readonly url: string; readonly port: number; readonly page: RunningDashboard }>;
/** One page for all tests that only read and leave no token: each has a thread of its own. */
async function readPage(): Promise<Awaited<typeof read>> {
  read ??= start();
  const started = await read;
  running = undefined;
  return started;
}
let steered: ReturnType<typeof start> | undefined;
/** One page for tests that act by tokens of their own; those of the test before are revoked. */
async function steeredPage(): ReturnType<typeof start> {
  steered ??= start();
  const started = await steered;
  running = undefined;
  started.commands.length = 0;
  for (const { name } of started.tokens.list()) started.tokens.revoke(name);
  return started;
}
afterAll(async () => {
  await (await read).page.close();
  await (await steered)?.page.close();
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Logs a browser in by a link, and returns its cookie. */
async function cookieFrom(link: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, headers: sent } = await fetch(link, { redirect: "manual", headers });
  expect(status).toBe(303);
  return sent.get("set-cookie")?.split(";")[0] ?? "";
}

const post = (url: string, headers: Record<string, string>, body: unknown = {}) =>
  fetch(url, { method: "POST", headers, body: JSON.stringify(body) });

describe("the HTTP API", () => {
  it("is described by a valid OpenAPI document, made of the schemas that check it", async () => {
    const { url } = await readPage();
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as ReturnType<
      typeof JSON.parse
    >;
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
    expect(document).toEqual(JSON.parse(JSON.stringify(openApi("0.0.0"))));
    const described = Object.keys(document.paths);
    for (const { path: at } of resources) expect(described).toContain(at);
    for (const name of actionNames) expect(described).toContain(`/${name}`);
  });

  it("shows each resource as its schema says", async () => {
    const { url } = await readPage();
    for (const { path: at, response } of resources) {
      if (at.includes("{") || at === "/moment" || at === PROPOSAL_PATH) continue;
      const query = at === "/market" || at === "/history" ? "?name=maker" : "";
      const found = await fetch(`${url}/api/v1${at}${query}`);
      expect(found.status, at).toBe(200);
      expect(response.safeParse(await found.json()).error, at).toBeUndefined();
    }
  });

  it("pages through the fills, newest first", async () => {
    const { url } = await readPage();
    const page = async (query: string) => (await fetch(`${url}/api/v1/fills?${query}`)).json();
    expect(await page("limit=2")).toMatchObject({
      fills: [
        { fill: 3, tradeId: "t3", strategy: "maker", market: "1_2" },
        { fill: 2, tradeId: "t2" },
      ],
      next: 2,
    });
    expect(await page("limit=2&before=2")).toMatchObject({ fills: [{ fill: 1 }], next: null });
    expect(await page("name=maker&limit=1")).toMatchObject({ fills: [{ fill: 3 }] });
    expect(await page("name=nope")).toMatchObject({
      error: { code: "MARKET_UNKNOWN", message: expect.stringContaining("it has maker") },
    });
    expect(await page("limit=0")).toMatchObject({ error: { code: "INVALID" } });
  });

  it("shows the operator's commands in its log, with who gave them", async () => {
    const { url } = await readPage();
    const log = (await (await fetch(`${url}/api/v1/log`)).json()) as { text: string }[];
    expect(log.map(({ text }) => text)).toContain("operator: resume by ops, 10.0.0.1");
  });

  it("passes each action to the bot, with the token's name and the address", async () => {
    const { url, token, commands } = await steeredPage();
    const headers = bearer(token("control", "ops"));
    const bodies = {
      pause: { strategy: "maker" },
      "reduce-only": { strategy: "maker" },
      resume: {},
      halt: { reason: "news", confirm: true },
      flatten: { maxSlippage: 0.01, withinMs: 1000, confirm: true },
      cancel: { orderIds: ["0x1"], confirm: true },
      "take-over": { strategy: "maker", orderId: "0x7", confirm: true },
      tune: { strategy: "maker", settings: ["size=2"] },
      reload: {},
      book: {
        strategy: "maker",
        trade: {
          marketId: "1_2",
          side: "BUY",
          price: "2000",
          quantity: "1",
          fee: "0",
          timeMs: 1,
          tradeId: "",
        },
      },
    };
    for (const name of actionNames) {
      const response = await post(`${url}/api/v1/${name}`, headers, bodies[name]);
      expect(await response.json(), name).toEqual({ ok: true });
    }
    expect(commands).toHaveLength(actionNames.length);
    expect(commands[3]).toEqual({
      line: { command: "halt", reason: "news" },
      by: { who: "ops", from: "127.0.0.1" },
    });
  });

  it("takes a request without a body for one with an empty object", async () => {
    const { port, token, commands } = await steeredPage();
    const authorization = `Bearer ${token("control")}`;
    const bodies = ["", "Content-Length: 0\r\n", "Transfer-Encoding: chunked\r\n"];
    for (const target of ["/api/v1/pause", "/api/v1/reload", "/login", "/logout"]) {
      for (const header of bodies) {
        const end = header.startsWith("T") ? "0\r\n\r\n" : "";
        const text = `POST ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${authorization}\r\nConnection: close\r\n${header}\r\n${end}`;
        expect(await sendRaw(port, text), `${target} ${header}`).toContain(" 200 OK");
      }
    }
    expect(commands).toHaveLength(2 * bodies.length);
  });

  it("logs what fails by a fault of the program", async () => {
    const warnings: string[] = [];
    const { url, token } = await start({
      command: async () => "no JSON",
      warn: (text) => void warnings.push(text),
    });
    const response = await post(`${url}/api/v1/pause?bot=maker`, bearer(token("control")));
    expect(response.status).toBe(500);
    await expect.poll(() => warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/^POST \/api\/v1\/pause of the page failed: SyntaxError/);
  });

  it("acts on no other bot than that which an action names, and ignores no part of its query", async () => {
    const { url, token, commands } = await steeredPage();
    const headers = bearer(token("control"));
    const answerTo = async (query: string) => {
      const response = await post(`${url}/api/v1/resume${query}`, headers);
      return [response.status, await response.json()];
    };
    expect(await answerTo("?bot=taker")).toEqual([
      404,
      {
        error: { code: "BOT_UNKNOWN", message: "This is the API of maker, and not of taker." },
      },
    ]);
    expect(await answerTo("?strategy=maker")).toMatchObject([400, { error: { code: "INVALID" } }]);
    expect(commands).toEqual([]);
    expect(await answerTo("?bot=maker")).toEqual([200, { ok: true }]);
  });

  it("of several bots passes on what a bot refuses, with its status and code, and says which it cannot reach", async () => {
    const one = await steeredPage();
    const apiOf = (url: string, token: string) => ({ url, api: new ApiClient(url, token, false) });
    const bots = [
      { name: "one", ...apiOf(one.url, one.token("control")) },
      { name: "reader", ...apiOf(one.url, one.token("read")) },
      { name: "stranger", ...apiOf(one.url, "of another bot") },
      { name: "gone", ...apiOf("http://127.0.0.1:1", "") },
    ];
    const server = new PageServer(
      {
        ...pageSettings(),
        journal: "",
        needsLogin: true,
        viewers: () => undefined,
        warn: () => undefined,
        command: relayedAction(bots),
      },
      new SeveralBots("0.0.0"),
    );
    const url = await server.listen();
    const cookie = await cookieFrom(server.loginLink("control"));
    const answerOf = async (action: string, bot: string, body: object = {}) => {
      const headers = { cookie, "x-touchline": "1" };
      const response = await post(`${url}/api/v1/${action}?bot=${bot}`, headers, body);
      const { ok, error } = (await response.json()) as { ok?: boolean; error?: { code: string } };
      return [response.status, ok ?? error?.code];
    };
    expect(await answerOf("pause", "one")).toEqual([200, true]);
    expect(await answerOf("pause", "reader")).toEqual([403, "CONTROL_NEEDED"]);
    expect(await answerOf("pause", "stranger")).toEqual([401, "LOGIN_NEEDED"]);
    expect(await answerOf("pause", "gone")).toEqual([502, "NO_BOT"]);
    expect(await answerOf("pause", "none")).toEqual([404, "BOT_UNKNOWN"]);
    const orders = await fetch(`${url}/api/v1/orders`, { headers: { cookie } });
    expect([orders.status, await orders.json()]).toMatchObject([
      404,
      { error: { code: "SEVERAL_BOTS" } },
    ]);
    await server.close();
  });

  it("says with 409 what the bot could not do", async () => {
    const failed = { ok: false, message: "this bot is ending", ordersLeft: ["0x1"] };
    const { url, token } = await start({ command: async () => JSON.stringify(failed) });
    const response = await post(`${url}/api/v1/pause`, bearer(token("control")));
    expect([response.status, await response.json()]).toEqual([409, failed]);
  });

  it("refuses an action with an unknown key, another command, no confirmation, no bounded time and no JSON", async () => {
    const { url, token, commands } = await steeredPage();
    const headers = bearer(token("control"));
    for (const [name, body] of [
      ["pause", '{ "strategies": "maker" }'],
      ["pause", '{ "command": "stop" }'],
      ["halt", '{ "reason": "news" }'],
      ["cancel", "{}"],
      ["flatten", '{ "maxSlippage": 0.01, "withinMs": 1e300, "confirm": true }'],
      ["resume", "{"],
    ] as const) {
      const response = await fetch(`${url}/api/v1/${name}`, { method: "POST", headers, body });
      expect(await response.json(), body).toMatchObject({ error: { code: "INVALID" } });
    }
    expect(commands).toEqual([]);
  });

  it("says whether the process works, and whether the bot may quote", async () => {
    const { url } = await readPage();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ ready: false, reasons: ["maker is paused"] });
  });
});

describe("roles", () => {
  it("let everybody on this machine read while there is no token, and nobody act", async () => {
    const { url, token, commands } = await start();
    expect((await fetch(`${url}/api/v1/status`)).status).toBe(200);
    expect((await post(`${url}/api/v1/pause`, { "x-touchline": "1" })).status).toBe(401);
    const secret = token("read");
    expect((await fetch(`${url}/api/v1/status`)).status).toBe(401);
    expect((await fetch(`${url}/api/v1/status`, { headers: bearer(secret) })).status).toBe(200);
    expect((await post(`${url}/api/v1/pause`, bearer(secret))).status).toBe(403);
    expect(commands).toEqual([]);
  });

  it("of an agent allow it what a person can always undo, and mark it, whichever token it has", async () => {
    const { url, token, commands } = await steeredPage();
    const own = bearer(token("agent"));
    const lent = { ...bearer(token("control")), "x-touchline": "agent" };
    for (const headers of [own, lent]) {
      expect((await post(`${url}/api/v1/pause`, headers)).status).toBe(200);
      for (const name of ["flatten", "cancel", "reload", "book"]) {
        const response = await post(`${url}/api/v1/${name}`, headers);
        expect(await response.json(), name).toMatchObject({ error: { code: "NOT_FOR_AGENTS" } });
      }
    }
    expect(commands.map(({ by }) => by)).toEqual([
      { who: "agent", from: "127.0.0.1", isAgent: true },
      { who: "control", from: "127.0.0.1", isAgent: true },
    ]);
  });

  it("of a revoked or expired token end at once, its stream too", async () => {
    const { url, tokens, token } = await steeredPage();
    const headers = bearer(token("read", "eve"));
    const reader = (await fetch(`${url}/api/v1/stream`, { headers })).body?.getReader();
    await reader?.read();
    const expiresMs = Date.now() - 1;
    const old = tokens.create({ name: "old", role: "control", createdMs: 1, expiresMs });
    expect((await fetch(`${url}/api/v1/status`, { headers: bearer(old) })).status).toBe(401);
    tokens.revoke("eve");
    expect((await fetch(`${url}/api/v1/status`, { headers })).status).toBe(401);
    await expect.poll(async () => (await reader?.read())?.done).toBe(true);
  });

  it("come from tokens that are hashed in a private file", async () => {
    const journal = mkdtempSync(path.join(tmpdir(), "touchline-journal-"));
    const tokens = new AccessTokens(journal);
    const secret = tokens.create({ name: "ops", role: "read", createdMs: 1, expiresMs: null });
    expect(statSync(path.join(journal, "access-tokens.json")).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(tokens.list())).not.toContain(secret);
    expect(tokens.find(secret, 2)?.name).toBe("ops");
    expect(() =>
      tokens.create({ name: "ops", role: "read", createdMs: 1, expiresMs: null }),
    ).toThrow(expect.objectContaining({ code: "TOKEN_EXISTS" }));
    expect(() => tokens.revoke("other")).toThrow(
      expect.objectContaining({ code: "TOKEN_UNKNOWN" }),
    );
  });
});

describe("a login", () => {
  it("works once, gives a new cookie each time, and ends with a logout", async () => {
    const { url, page, commands } = await start();
    const link = await page.loginLink("control");
    expect((await fetch(link, { method: "HEAD" })).status).toBe(405);
    const first = await cookieFrom(link);
    expect((await fetch(link, { redirect: "manual" })).status).toBe(401);
    const cookie = await cookieFrom(await page.loginLink("control"), { cookie: first });
    expect(cookie).not.toBe(first);
    const act = (with_: string) =>
      post(`${url}/api/v1/pause`, { cookie: with_, "x-touchline": "1" });
    expect((await act(first)).status).toBe(401);
    expect((await act(cookie)).status).toBe(200);
    expect(commands[0]?.by).toEqual({ who: "page-2", from: "127.0.0.1" });
    expect(await (await fetch(`${url}/api/v1/session`, { headers: { cookie } })).json()).toEqual({
      who: "page-2",
      role: "control",
    });
    const out = await post(`${url}/logout`, { cookie, "x-touchline": "1" });
    expect(out.headers.get("set-cookie")).toContain("Max-Age=0");
    expect((await act(cookie)).status).toBe(401);
  });

  it("by a token has its name and role, and ends with it", async () => {
    const { url, tokens, token } = await start();
    const shown = (secret: string) => post(`${url}/login`, bearer(secret));
    expect((await shown("touchline_guessed")).status).toBe(401);
    expect((await fetch(`${url}/login`, { method: "POST" })).status).toBe(403);
    const given = await shown(token("read", "ops"));
    const cookie = given.headers.get("set-cookie")?.split(";")[0] ?? "";
    const session = () => fetch(`${url}/api/v1/session`, { headers: { cookie } });
    expect(await (await session()).json()).toEqual({ who: "ops", role: "read" });
    const act = await post(`${url}/api/v1/pause`, { cookie, "x-touchline": "1" });
    expect(act.status).toBe(403);
    token("control", "other");
    tokens.revoke("ops");
    expect((await session()).status).toBe(401);
  });

  it("takes the place of no other token's session, and of no link's, however often a token logs in", () => {
    const sessions = new Sessions();
    const login = (name: string) => sessions.openFor({ name, role: "read", holds: () => true });
    const ofLink = sessions.open(sessions.link("control")) ?? "";
    const other = login("page-1");
    const first = login("reader");
    for (let at = 0; at < 60; at += 1) login("reader");
    const newest = login("reader");
    expect(sessions.find(ofLink)?.role).toBe("control");
    for (let at = 0; at < 60; at += 1) sessions.open(sessions.link("read"));
    const found = [ofLink, other, first, newest].map((secret) => sessions.find(secret)?.name);
    expect(found).toEqual(["page-1", "page-1", undefined, "reader"]);
  });

  it("is asked for by the page itself, which holds nothing of the bot", async () => {
    const webDir = mkdtempSync(path.join(tmpdir(), "touchline-web-"));
    writeFileSync(path.join(webDir, "index.html"), "<!doctype html><title>page</title>");
    const { url, token } = await start({ webDir });
    token("read");
    expect(await (await fetch(url)).text()).toContain("page");
    expect((await fetch(`${url}/api/v1/overview`)).status).toBe(401);
  });

  it("ends after twelve hours without use, and after a week with it", () => {
    let nowMs = 0;
    const sessions = new Sessions(() => nowMs);
    const open = (): string => sessions.open(sessions.link("read")) ?? "";
    const idle = open();
    nowMs += 12 * 3_600_000;
    expect(sessions.find(idle)).toBeUndefined();
    const used = open();
    for (let hours = 6; hours < 168; hours += 6) {
      nowMs += 6 * 3_600_000;
      expect(sessions.find(used)?.role).toBe("read");
    }
    nowMs += 6 * 3_600_000;
    expect(sessions.find(used)).toBeUndefined();
    const late = sessions.link("control");
    nowMs += 10 * 60_000;
    expect(sessions.open(late)).toBeUndefined();
  });

  it("has a cookie that no script reads and no other site sends, for TLS alone where a proxy has it", async () => {
    const { port, page } = await start({ allowedHosts: ["https://bots.example"] });
    const link = new URL(await page.loginLink("control"));
    expect(link.origin).toBe("https://bots.example");
    const request = `GET ${link.pathname}${link.search} HTTP/1.1\r\nHost: bots.example\r\nConnection: close\r\n\r\n`;
    const cookie = /set-cookie: (.*)/i.exec(await sendRaw(port, request))?.[1];
    expect(cookie).toMatch(/^__Host-touchline-\d+=\S+; Path=\/; HttpOnly; SameSite=Strict; Secure/);
  });
});

describe("an attack", () => {
  /** A raw request from this machine with any headers. */
  async function raw(
    port: number,
    method: string,
    target: string,
    headers: Record<string, string>,
  ): Promise<number> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const text = `${method} ${target} HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n${lines.join("")}\r\n`;
    return Number((await sendRaw(port, text)).split(" ")[1]);
  }

  it("by another site's form or script reaches no action, though the browser is logged in", async () => {
    const { port, page, commands } = await start();
    const host = `127.0.0.1:${port}`;
    const cookie = await cookieFrom(await page.loginLink("control"));
    const own = { host, cookie, "x-touchline": "1" };
    const act = (headers: Record<string, string>) => raw(port, "POST", "/api/v1/resume", headers);
    expect(await act({ host, cookie })).toBe(403);
    expect(await act({ ...own, origin: "http://evil.example" })).toBe(403);
    expect(await act({ ...own, origin: "null" })).toBe(403);
    expect(await act({ ...own, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await act({ ...own, "sec-fetch-site": "same-site" })).toBe(403);
    const navigates = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(await act({ ...own, ...navigates })).toBe(403);
    expect(commands).toEqual([]);
    expect(await act({ ...own, origin: `http://${host}`, "sec-fetch-site": "same-origin" })).toBe(
      200,
    );
  });

  it("by a preflight gets no permission", async () => {
    const { url } = await readPage();
    const { status, headers } = await fetch(`${url}/api/v1/pause`, { method: "OPTIONS" });
    expect(status).toBe(405);
    expect([...headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
  });

  it("by DNS rebinding is refused whatever name it has", async () => {
    const { port } = await readPage();
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "0.0.0.0",
      "127.0.0.1.evil.example",
      "",
    ]) {
      expect(await raw(port, "GET", "/api/v1/status", { host }), host).toBe(421);
    }
  });

  it("by guessing is throttled, and locks nobody with a token out", async () => {
    const { url, token } = await start();
    const secret = token("read");
    const statuses = [];
    for (let at = 0; at < 15; at += 1) {
      const headers = bearer(`${secret.slice(0, -2)}${at + 10}`);
      statuses.push((await fetch(`${url}/api/v1/status`, { headers })).status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([401, 429]);
    expect((await fetch(`${url}/login?code=guessed`)).status).toBe(429);
    expect((await fetch(`${url}/api/v1/status`, { headers: bearer(secret) })).status).toBe(200);
  });

  it("by other methods and by large bodies is refused", async () => {
    const { url, token, port } = await start();
    const headers = bearer(token("control"));
    for (const method of ["PUT", "DELETE", "PATCH", "TRACE"]) {
      expect(await raw(port, method, "/api/v1/pause", { host: "127.0.0.1", ...headers })).toBe(405);
    }
    expect((await post(`${url}/api/v1/status`, headers)).status).toBe(405);
    expect((await fetch(`${url}/api/v1/pause`, { headers })).status).toBe(405);
    const large = await post(`${url}/api/v1/pause`, headers, { strategy: "x".repeat(20_000) });
    expect(large.status).toBe(413);
    const chunks = `4000\r\n${"x".repeat(0x4000)}\r\n1\r\nx\r\n`;
    const text = `POST /api/v1/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${headers.authorization}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n`;
    expect(await sendRaw(port, `${text}${chunks}0\r\n\r\n`)).toContain(" 413 ");
  });

  it("by another page's script in ours finds no way in: every response forbids it", async () => {
    const { url } = await readPage();
    for (const target of ["/", "/api/v1/status", "/openapi.json", "/login?code=x", "/nothing"]) {
      const { headers } = await fetch(`${url}${target}`);
      expect(headers.get("content-security-policy"), target).toContain("default-src 'self'");
      expect(headers.get("x-content-type-options"), target).toBe("nosniff");
      expect(headers.get("referrer-policy"), target).toBe("no-referrer");
      expect(headers.get("x-frame-options"), target).toBe("DENY");
    }
  });
});

describe("a page that other machines reach", () => {
  it("is not started without a token", async () => {
    for (const host of ["0.0.0.0", "::"]) {
      await expect(start({ host, allowedHosts: ["bots.example"] })).rejects.toMatchObject({
        code: "PAGE_WITHOUT_TOKEN",
      });
    }
  });

  it("serves its allowed hosts to clients with a token, and allows actions only over TLS or with dashboard.insecureControl", async () => {
    const { journal } = pageSettings();
    const tokens = new AccessTokens(journal);
    const secret = tokens.create({ name: "ops", role: "control", createdMs: 1, expiresMs: null });
    const allowedHosts = ["bots.example", "https://safe.example"];
    const { port } = await start({ host: "0.0.0.0", allowedHosts, journal });
    const ask = async (line: string, host: string, authorization = `Bearer ${secret}`) => {
      const text = `${line} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: ${authorization}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
      return Number((await sendRaw(port, text)).split(" ")[1]);
    };
    expect(await ask("GET /api/v1/status", "bots.example")).toBe(200);
    expect(await ask("GET /api/v1/status", "bots.example", "")).toBe(401);
    expect(await ask("GET /api/v1/status", "evil.example")).toBe(421);
    expect(await ask("POST /api/v1/resume", "bots.example")).toBe(403);
    expect(await ask("POST /api/v1/resume", "safe.example")).toBe(200);
    expect(await ask("POST /api/v1/resume", "127.0.0.1")).toBe(200);
    await running?.close();
    const insecure = await start({ host: "0.0.0.0", allowedHosts, journal, insecureControl: true });
    const text = `POST /api/v1/resume HTTP/1.1\r\nHost: bots.example\r\nAuthorization: Bearer ${secret}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;
    expect(await sendRaw(insecure.port, text)).toContain("200 OK");
  });

  it("takes the name of a proxy with TLS for one only from a proxy on its own machine", () => {
    const { journal } = pageSettings();
    const tokens = new AccessTokens(journal);
    const secret = tokens.create({ name: "ops", role: "control", createdMs: 1, expiresMs: null });
    const allowedHosts = ["https://bots.example"];
    const from = (remote: string, insecureControl = false) => {
      const options = { host: "0.0.0.0", port: 1, allowedHosts, insecureControl };
      const headers = { host: "bots.example", origin: "https://bots.example", ...bearer(secret) };
      const request = { method: "POST", path: "/api/v1/pause", headers, remote };
      const access = new PageAccess(options, tokens, new Sessions());
      return access.refusal(request) ?? access.controller(request);
    };
    for (const remote of ["10.0.0.5", "::ffff:10.0.0.5", "2001:db8::1", ""]) {
      expect(from(remote), remote).toMatchObject({ code: "CONTROL_NEEDS_TLS" });
    }
    for (const remote of ["127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      expect(from(remote), remote).toMatchObject({ who: "ops", role: "control" });
    }
    expect(from("10.0.0.5", true)).toMatchObject({ who: "ops", role: "control" });
  });
});
