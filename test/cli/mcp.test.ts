import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { ApiClient } from "../../src/cli/api-client.ts";
import { addTools } from "../../src/cli/mcp-server.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { responses } from "../../src/dashboard/api-schema.ts";
import { AccessTokens, type Role } from "../../src/dashboard/access-tokens.ts";
import { batchesAmong } from "../../src/journal/journal-tables.ts";
import { entriesOfRun, newestRun } from "../../src/journal/segments.ts";
import { createStore } from "../../src/platform/store.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PATIENCE } from "../support/patience.ts";
import { type Ran, runLine } from "./run-line.ts";

const PORT = 18_731;
const STRATEGY = "zil-maker";
const journal = path.join(temporaryFolder(), "journal");
// In the process of the tests, whose work must not look like a strategy that hangs.
const settings = [`journal.path=${journal}`, `dashboard.port=${PORT}`, "watchdog.maxBlocked=60s"];
const set = settings.flatMap((setting) => ["--set", setting]);
/** The replay of a whole run is asked for once. */
const SHORT_HOURS = 5 / 3_600;
let demo: Promise<Ran> | undefined;
const isOver = Promise.withResolvers<void>();

beforeAll(async () => {
  const env = { ...process.env, TOUCHLINE_LOG: "error" };
  demo = runLine(["demo", "--port", String(PORT), ...set], env, isOver.promise);
  const status = `http://127.0.0.1:${PORT}/api/v1/status`;
  const quotes = async (): Promise<boolean> => {
    const response = await fetch(status).catch(() => undefined);
    const { strategies = [] } = response?.ok === true ? Object(await response.json()) : {};
    return (strategies[0]?.orders ?? 0) > 0;
  };
  while (!(await quotes())) await sleep(500);
});
afterAll(async () => {
  isOver.resolve();
  expect((await demo)?.code).toBe(0);
});

function newToken(role: Role, name: string): string {
  const token = { name, role, createdMs: Date.now(), expiresMs: null };
  return new AccessTokens(journal).create(token);
}

/** A client of a server for the demo's bot, with a new token of this role. */
async function agent(role: Role, name: string = role) {
  const config = await loadBotConfig("config/demo.yaml", { overrides: settings, needs: "nothing" });
  const server = new McpServer({ name: "touchline", version: "0" });
  addTools(server, [
    { name: "demo", api: new ApiClient(ApiClient.originOf(config), newToken(role, name), true) },
  ]);
  const client = new Client({ name: "test", version: "0" });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(one), client.connect(other)]);
  const call = async (tool: string, args: Record<string, unknown> = {}) => {
    const { content, isError = false } = Object(
      await client.callTool({ name: tool, arguments: args }, undefined, { timeout: 120_000 }),
    );
    return { isError, ...JSON.parse(`{"value":${content[0].text}}`) };
  };
  const propose = (settings: readonly string[], hours?: number) =>
    call("propose_params", { strategy: STRATEGY, settings, hours });
  return { client, call, propose };
}

describe("an agent", () => {
  it("reads the bot by the tools that its API has resources for", async () => {
    const { client, call } = await agent("read");
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ["status", "orders", "fills", "pnl", "limits", "orders_story", "moment"]) {
      expect(names).toContain(name);
    }
    const { value } = await call("orders");
    expect(value[0]).toMatchObject({ strategy: STRATEGY });
    expect((await call("orders_story", { orderId: value[0].orderId })).value).toMatchObject({
      orderId: value[0].orderId,
    });
    expect(await call("market", { name: "nobody" })).toMatchObject({
      isError: true,
      value: { code: "MARKET_UNKNOWN" },
    });
  });

  it("talks to `touchline mcp` on its stdin and stdout", async () => {
    const client = new Client({ name: "test", version: "0" });
    const args = [
      "--disable-sigusr1",
      "--conditions=touchline-source",
      "bin/touchline.js",
      "mcp",
      "config/demo.yaml",
    ];
    const env = { ...process.env, TOUCHLINE_TOKEN: newToken("read", "stdio") } as Record<
      string,
      string
    >;
    const started = { command: process.execPath, args: [...args, ...set], env };
    await client.connect(new StdioClientTransport(started), { timeout: 150_000 });
    const { content } = Object(
      await client.callTool({ name: "overview" }, undefined, { timeout: 120_000 }),
    );
    expect(JSON.parse(content[0].text)).toMatchObject({ mode: "demo" });
    await client.close();
  });

  it("with a token that only reads replays the end of a run, in which no whole book was read, and applies nothing", async () => {
    const { call, propose } = await agent("read", "reader");
    const replayed = async () => {
      const { value } = await propose(["size=350"], SHORT_HOURS);
      return JSON.stringify(value.notModelled).includes("the run is older") ? value : undefined;
    };
    const value = await vi.waitUntil(replayed, PATIENCE);
    const { fromMs, toMs, before } = responses.proposal.parse(value);
    expect(toMs - fromMs).toBeLessThan(SHORT_HOURS * 3_600_000 + 1_000);
    expect(before.uptimeBid).toBeGreaterThan(0.5);
    expect(await call("apply_proposal", { proposal: value.proposal })).toMatchObject({
      isError: true,
      value: { code: "CONTROL_NEEDED" },
    });
    expect(await call("pause")).toMatchObject({ isError: true });
  });

  it("changes parameters by a proposal that was replayed, and stands in the journal", async () => {
    const { call, propose } = await agent("agent", "helper");
    const unknown = await call("apply_proposal", { proposal: "p1" });
    expect(unknown).toMatchObject({ isError: true, value: { code: "PROPOSAL_UNKNOWN" } });
    const wider = ["bidSpread=0.1%", "askSpread=0.1%"];
    const { value } = await propose(wider);
    expect(value).toMatchObject({
      before: { fills: expect.any(Number) },
      after: { fills: expect.any(Number) },
      notModelled: expect.arrayContaining([
        expect.stringContaining("nobody reacts"),
        expect.stringMatching(/the journal has \S+ h of it, 24 h were asked for/),
      ]),
    });
    const older = (await propose(["size=400"], SHORT_HOURS)).value;
    expect(await call("apply_proposal", { proposal: value.proposal })).toMatchObject({
      isError: false,
      value: { tuned: { changed: [STRATEGY] } },
    });
    expect(await call("apply_proposal", { proposal: older.proposal })).toMatchObject({
      isError: true,
      value: { code: "PROPOSAL_UNKNOWN" },
    });
    const store = createStore();
    const tunedBy = () => {
      const run = newestRun(store, journal);
      if (run === undefined) return undefined;
      const inputs = [...batchesAmong(entriesOfRun(store, run))].flatMap(
        ({ batch }) => batch.inputs,
      );
      return inputs.find(({ type }) => type === "params");
    };
    await expect.poll(tunedBy).toMatchObject({
      strategies: [{ name: STRATEGY, params: { bidSpread: "0.1%" } }],
      by: { who: "helper", isAgent: true },
    });
  });

  it.each(["agent", "control"] as const)("with the role %s leaves no halt", async (role) => {
    const { call } = await agent(role, `strict-${role}`);
    expect(await call("pause")).toMatchObject({ isError: false });
    if (role === "agent") expect(await call("resume")).toMatchObject({ isError: false });
    expect(await call("halt", { reason: "news", confirm: true })).toMatchObject({
      isError: false,
    });
    for (const force of [false, true]) {
      expect(await call("resume", { force })).toMatchObject({
        isError: true,
        value: { code: "CONTROL_FAILED", message: expect.stringContaining("only a person") },
      });
    }
    // What the page shows follows the bot a moment later.
    const shown = async () => (await call("ladder")).value;
    await expect.poll(shown).toMatchObject([{ standstill: "halted" }]);
  });

  it("changes no limit, with the role control either", async () => {
    const { propose } = await agent("control", "limits");
    expect(await propose(["hangingMax=50"])).toMatchObject({
      isError: true,
      value: { code: "NOT_FOR_AGENTS" },
    });
  });
});
