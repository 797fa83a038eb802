import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";
import { runLine } from "../cli/run-line.ts";

/** Keys that were renamed are read for one more minor version; the warning names the new key. */

const folder = mkdtempSync(path.join(tmpdir(), "touchline-old-keys-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const rest = `
venue: { rest: "http://127.0.0.1:8717", ws: "ws://127.0.0.1:8717/ws", chainId: 1001 }
fees: { maker: 0.02%, taker: 0.05% }
strategies:
  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5" }
`;

function config(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text + rest);
  return file;
}

const old = config(
  "old.yaml",
  `timing: { askFirst: 300ms, askMax: 5s, refusalRest: 2s, refusalRestMax: 30s }
latency: { command: 15ms, news: 25ms }`,
);
const renamed = config(
  "renamed.yaml",
  `timing: { queryFirst: 300ms, queryMax: 5s, refusalCooldown: 2s, refusalCooldownMax: 30s }
latency: { entry: 15ms, response: 25ms, feed: 25ms }`,
);

const names = [
  ["timing.askFirst", "timing.queryFirst"],
  ["timing.askMax", "timing.queryMax"],
  ["timing.refusalRest", "timing.refusalCooldown"],
  ["timing.refusalRestMax", "timing.refusalCooldownMax"],
  ["latency.command", "latency.entry"],
  ["latency.news", "latency.response"],
] as const;

it("old spellings mean the same as the new ones", async () => {
  const [before, after] = [await loadBotConfig(old), await loadBotConfig(renamed)];
  expect(before.timing).toEqual(after.timing);
  expect(before.timing.queryFirstMs).toBe(300);
  expect(before.latency).toEqual(after.latency);
});

it("each old spelling is one warning that names the new key", async () => {
  const warnings = await warningsOf(old);
  for (const [before, after] of names) {
    const about = warnings.filter((text) => text.includes(`${before} `) && text.includes(after));
    expect([before, about]).toEqual([before, [expect.any(String)]]);
  }
  expect(warnings.filter((text) => text.includes("old name"))).toHaveLength(names.length);
  expect((await warningsOf(renamed)).filter((text) => text.includes("old name"))).toEqual([]);
});

it("an old spelling beside the new one is said to have no effect, also when a flag gives it", async () => {
  const flags = ["timing.askFirst=900ms", "latency.command=90ms", "latency.news=90ms"];
  const loaded = await loadBotConfig(renamed, { overrides: flags });
  expect(loaded.timing.queryFirstMs).toBe(300);
  expect(loaded.latency).toEqual({ entry: 15, response: 25, feed: 25 });
  const warnings = await warningsOf(
    renamed,
    flags.flatMap((flag) => ["--set", flag]),
  );
  expect(warnings.filter((text) => text.includes("old name"))).toEqual([]);
  for (const key of ["timing.askFirst", "latency.command", "latency.news"]) {
    expect(warnings).toContainEqual(expect.stringContaining(`${key} has no effect`));
  }
});

async function warningsOf(file: string, more: readonly string[] = []): Promise<readonly string[]> {
  const ran = await runLine(["check", file, "--json", ...more]);
  expect(ran.code, ran.err).toBe(0);
  const warnings: unknown = ran.events[0]?.["warnings"];
  return Array.isArray(warnings) ? warnings.map(String) : [];
}
