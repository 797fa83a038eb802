import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Line, Touchline, touchline } from "../support/touchline-process.ts";

const config = fileURLToPath(new URL("../../config/pure-market-making.yaml", import.meta.url));

let folder = "";
const started: Touchline[] = [];
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-record-"));
});
afterAll(() => {
  for (const each of started) each.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

function start(...args: string[]): Touchline {
  const process = new Touchline(args);
  started.push(process);
  return process;
}

async function lastLine(...args: string[]): Promise<Line | undefined> {
  const { code, lines } = await touchline(args);
  expect(code).toBe(0);
  return lines.at(-1);
}

test("a recording made over real sockets is checked, replayed twice alike and served by a venue, and survives a kill", async () => {
  const venue = start("venue", "--port", "0");
  const { rest, ws } = await venue.line("listening");
  const set = ["--set", `venue.rest=${String(rest)}`, "--set", `venue.ws=${String(ws)}`];
  const record = (name: string, ...more: string[]) =>
    start("record", config, "--out", path.join(folder, name), ...set, ...more);

  const timed = record("timed", "--duration", "10s");
  const killed = record("killed");
  const signaled = record("signaled");
  await Promise.all([timed, killed, signaled].map((each) => each.line("record.mark")));
  const applied = async (name: string) =>
    (await touchline(["recording", "check", path.join(folder, name)])).lines.at(-1)?.["applied"];
  for (const name of ["killed", "signaled"])
    await expect.poll(() => applied(name), { interval: 500 }).toBeGreaterThan(5);
  killed.kill("SIGKILL");
  signaled.kill("SIGTERM");
  expect(await signaled.exit).toBe(0);
  expect(await timed.exit).toBe(0);
  const counts = timed.lines.at(-1);
  expect(counts).toMatchObject({ event: "record", markets: 1, gaps: 0, interruptions: 0 });

  for (const name of ["timed", "killed", "signaled"]) {
    const line = await lastLine("recording", "check", path.join(folder, name));
    expect(line).toMatchObject({ market: "1_2", gaps: 0, tradeGaps: 0, crossed: 0, defects: [] });
    expect(line?.["applied"]).toBeGreaterThan(0);
    expect(line?.["bestBid"]).not.toBeNull();
    if (name === "timed") expect(line).toMatchObject({ depthEvents: counts?.["depthEvents"] });
  }

  const out = path.join(folder, "timed");
  const [one, two] = await Promise.all([
    lastLine("replay", config, "--data", out),
    lastLine("replay", config, "--data", out),
  ]);
  expect(one).toMatchObject({ event: "result" });
  expect(one?.["decisionsHash"]).toMatch(/^0x[0-9a-f]{64}$/);
  expect(one?.["decisionsHash"]).toBe(two?.["decisionsHash"]);

  const replayed = start("venue", "--port", "0", "--set", `flow={ replay: ${out} }`);
  const again = await replayed.line("listening");
  const depth = await lastLine("market", "depth", "1_2", "--venue", String(again["rest"]));
  expect(depth?.["bids"]).not.toEqual([]);
  replayed.kill("SIGTERM");
  venue.kill("SIGTERM");
  expect(await replayed.exit).toBe(0);
  expect(await venue.exit).toBe(0);

  // What is there is not written over.
  const taken = record("timed");
  expect(await taken.exit).toBe(1);
  expect(taken.lines).toMatchObject([{ event: "error", code: "RECORDING_EXISTS" }]);
  const unreachable = record("never");
  expect(await unreachable.exit).toBe(1);
  expect(readdirSync(folder)).not.toContain("never");
});
