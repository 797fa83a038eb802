import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Line, Touchline, TouchlineHere, touchline } from "../support/touchline-process.ts";

const config = fileURLToPath(new URL("../../config/pure-market-making.yaml", import.meta.url));

let folder = "";
let killed: Touchline | undefined;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "touchline-record-"));
});
afterAll(() => {
  killed?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function lastLine(...args: string[]): Promise<Line | undefined> {
  const { code, lines } = await touchline(args);
  expect(code).toBe(0);
  return lines.at(-1);
}

test("a recording made over real sockets is checked, replayed twice alike and served by a venue, and survives a kill", async () => {
  const venue = new TouchlineHere(["venue", "--port", "0"]);
  const { rest, ws } = await venue.line("listening");
  const set = ["--set", `venue.rest=${String(rest)}`, "--set", `venue.ws=${String(ws)}`];
  const record = (name: string) => ["record", config, "--out", path.join(folder, name), ...set];

  killed = new Touchline(record("killed"));
  const stopped = new TouchlineHere(record("stopped"));
  const check = (name: string) => lastLine("recording", "check", path.join(folder, name));
  for (const [name, recording] of Object.entries({ killed, stopped })) {
    await recording.line("record.mark");
    const applied = async () => (await check(name))?.["applied"];
    await expect.poll(applied, { interval: 500 }).toBeGreaterThan(5);
  }
  killed.kill("SIGKILL");
  stopped.stop();
  expect(await stopped.exit).toBe(0);
  const counts = stopped.lines.at(-1);
  expect(counts).toMatchObject({ event: "record", markets: 1, gaps: 0, interruptions: 0 });

  for (const name of ["killed", "stopped"]) {
    const line = await check(name);
    expect(line).toMatchObject({ market: "1_2", gaps: 0, tradeGaps: 0, crossed: 0, defects: [] });
    expect(line?.["applied"]).toBeGreaterThan(5);
    expect(line?.["bestBid"]).not.toBeNull();
    if (name === "stopped") expect(line).toMatchObject({ depthEvents: counts?.["depthEvents"] });
  }

  const out = path.join(folder, "stopped");
  const [one, two] = await Promise.all([
    lastLine("replay", config, "--data", out),
    lastLine("replay", config, "--data", out),
  ]);
  expect(one).toMatchObject({ event: "result" });
  expect(one?.["decisionsHash"]).toMatch(/^0x[0-9a-f]{64}$/);
  expect(one?.["decisionsHash"]).toBe(two?.["decisionsHash"]);

  const replayed = new TouchlineHere(["venue", "--port", "0", "--set", `flow={ replay: ${out} }`]);
  const again = await replayed.line("listening");
  const depth = await lastLine("market", "depth", "1_2", "--venue", String(again["rest"]));
  expect(depth?.["bids"]).not.toEqual([]);
  replayed.stop();
  expect(await replayed.exit).toBe(0);

  // What is there is not written over.
  const taken = new TouchlineHere(record("stopped"));
  expect(await taken.exit).toBe(1);
  expect(taken.lines).toMatchObject([{ event: "error", code: "RECORDING_EXISTS" }]);
  // A duration counts from the start of the process, which is older than that: it ends before anything came.
  const timed = new TouchlineHere([...record("timed"), "--duration", "1ms"]);
  expect(await timed.exit).toBe(1);
  expect(timed.lines).toMatchObject([{ event: "error", code: "RECORD_EMPTY" }]);
  venue.stop();
  expect(await venue.exit).toBe(0);
  const unreachable = new TouchlineHere(record("never"));
  expect(await unreachable.exit).toBe(1);
  expect(readdirSync(folder)).not.toContain("never");
});
