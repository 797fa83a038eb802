import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runLine } from "./run-line.ts";
import { recordTwoRuns, twoRunsYaml } from "./two-runs.ts";

const home = mkdtempSync(path.join(tmpdir(), "touchline-broken-copy-"));
const folder = path.join(home, "journal");

beforeAll(async () => {
  const store = await recordTwoRuns();
  mkdirSync(folder);
  writeFileSync(path.join(home, "bot.yaml"), twoRunsYaml);
  for (const name of store.list("journal")) {
    if (!name.endsWith(".journal")) continue;
    writeFileSync(path.join(folder, name), store.read(`journal/${name}`) ?? new Uint8Array());
  }
});
afterAll(() => rmSync(home, { recursive: true }));

describe("journal show with a time that no calendar has", () => {
  it.each(["8640000000000001", "9999999999999999"])("names it as the mistake: %s", async (time) => {
    const { err } = await runLine(["journal", "show", folder, time]);
    expect(err).not.toContain("Internal error");
  });
});

describe("a journal of two runs of which the first lacks its second half, as a broken copy leaves it", () => {
  it("is not called identical by journal verify, which exits with an error", async () => {
    const copy = path.join(home, "copy");
    cpSync(folder, copy, { recursive: true });
    const first = path.join(copy, "000001.journal");
    truncateSync(first, Math.round(readFileSync(first).length / 2));
    const config = path.join(home, "bot.yaml");
    const whole = await runLine(["journal", "verify", folder, "--run", "1", "--config", config]);
    expect(whole).toMatchObject({ code: 0 });
    expect(whole.out).toMatch(/^ {2}run +1 of 2$/m);
    const cut = await runLine(["journal", "verify", copy, "--run", "1", "--config", config]);
    expect(cut.out).not.toContain("Identical");
    expect(cut.code).not.toBe(0);
  });

  it("is not exported as if it were whole", async () => {
    const copy = path.join(home, "copy2");
    cpSync(folder, copy, { recursive: true });
    const first = path.join(copy, "000001.journal");
    truncateSync(first, Math.round(readFileSync(first).length / 2));
    const { code } = await runLine(["journal", "export", copy, "--table", "decisions"]);
    expect(code).not.toBe(0);
  });
});

describe("position commands with the configuration of another account", () => {
  it("do not change the journal of an account that is not the configured one", async () => {
    const copy = path.join(home, "copy3");
    cpSync(folder, copy, { recursive: true });
    const config = path.join(home, "other.yaml");
    const account = `account: { owner: "0x${"b".repeat(40)}", signer: { type: env, name: TOUCHLINE_KEY } }`;
    writeFileSync(config, `${twoRunsYaml}${account}\njournal: { path: ./copy3 }\n`);
    const set = ["position", "set", config, "--base", "5", "--price", "100"];
    const before = readFileSync(path.join(copy, "000002.journal"));
    const { code, err } = await runLine(set);
    expect(err).toContain("belongs to");
    expect(code).not.toBe(0);
    expect(readFileSync(path.join(copy, "000002.journal"))).toEqual(before);
  });
});
