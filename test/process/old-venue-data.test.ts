import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { Touchline } from "../support/touchline-process.ts";

const fixture = path.join(import.meta.dirname, "../venue/fixtures/data-format-1");
const LAST_ORDER_SEC = 1_795_343_177;
const expected: Readonly<Record<string, unknown>> = JSON.parse(
  readFileSync(path.join(fixture, "expected.json"), "utf8"),
);

it("a paper venue starts from the data folder of the version before, and answers as that one did", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-old-venue-"));
  mkdirSync(path.join(folder, "data"));
  for (const name of ["venue.db", "venue.db-wal"]) {
    const packed = readFileSync(path.join(fixture, `${name}.gz`));
    writeFileSync(path.join(folder, "data", name), gunzipSync(packed));
  }
  // Lists reach back 30 days by default: the venue's clock shows a minute after the last order, whenever this runs.
  const skewSec = Math.round(Date.now() / 1000) - LAST_ORDER_SEC - 60;
  const config = path.join(folder, "venue.yaml");
  copyFileSync(path.join(fixture, "venue.yaml"), config);
  const settings = [
    `dataDir=${path.join(folder, "data")}`,
    `faults=[{ kind: clock-skew, skew: ${-skewSec}s }]`,
  ].flatMap((setting) => ["--set", setting]);
  const venue = new Touchline(["venue", config, "--port", "0", ...settings]);
  try {
    const rest = String((await venue.line("listening"))["rest"]);
    for (const [query, result] of Object.entries(expected)) {
      const response = await fetch(rest + query);
      expect([query, await response.json()]).toEqual([query, { code: 200, errMsg: "OK", result }]);
    }
  } finally {
    venue.kill("SIGTERM");
    expect(await venue.exit).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  }
}, 60_000);
