import fs, { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, vi } from "vitest";
import { createLog } from "../../src/platform/log.ts";

it("never writes a key, a password or signed bytes", () => {
  const lines: string[] = [];
  const log = createLog({
    level: "debug",
    destination: { write: (line) => void lines.push(line) },
  });
  log.info(
    {
      key: "0xsecret1",
      order: { tx: "0xsecret2" },
      a: { b: { password: "secret3" } },
      orderId: "0xab",
    },
    "signed",
  );
  log.debug({}, "d");
  log.warn({}, "w");
  log.error({}, "e");
  expect(lines.length).toBe(4);
  expect(lines[0]).toContain("0xab");
  expect(lines.join("")).not.toContain("secret");
});

it("writes no character that a terminal takes for a command, and loses none", () => {
  const lines: string[] = [];
  const log = createLog({ destination: { write: (line) => void lines.push(line) } });
  const hostile = "a\u009b31mb\u202ec\u001b[2Kd\u0085e";
  log.info({ hostile }, "x");
  expect(lines.join("").trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(lines.join(""))).toMatchObject({ hostile });
});

it.runIf(existsSync("/dev/full"))("throws nothing when the disk of the log is full", () => {
  const log = createLog({ file: "/dev/full" });
  for (let line = 0; line < 3; line += 1) {
    expect(() => log.error({ line }, "lost")).not.toThrow();
  }
});

it("writes the lines that a full disk did not take once it has space again", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-log-"));
  const file = path.join(folder, "log");
  const descriptor = openSync(file, "a");
  const full = vi.spyOn(fs, "writeSync").mockImplementation(() => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  try {
    const log = createLog({ file: descriptor });
    log.info({}, "first");
    expect(full).toHaveBeenCalled();
    full.mockRestore();
    log.info({}, "second");
    const written = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(written.map((line) => JSON.parse(line).msg)).toEqual(["first", "second"]);
  } finally {
    full.mockRestore();
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
});

it("says how many lines were lost on a disk that was full for long, and goes on", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-log-"));
  const file = path.join(folder, "log");
  const descriptor = openSync(file, "a");
  const full = vi.spyOn(fs, "writeSync").mockImplementation(() => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  try {
    const log = createLog({ file: descriptor });
    const text = "x".repeat(1000);
    const count = 1500;
    for (let line = 0; line < count; line += 1) log.info({ line, text }, "while full");
    full.mockRestore();
    log.info({ text }, "after");
    log.info({ text }, "later");
    const written = readFileSync(file, "utf8").trimEnd().split("\n");
    const lines = written.map((line) => JSON.parse(line));
    const kept = lines.filter(({ msg }) => msg === "while full").length;
    expect(kept).toBeGreaterThan(900);
    expect(lines.slice(kept)).toMatchObject([
      { lost: count - kept },
      { msg: "after" },
      { msg: "later" },
    ]);
  } finally {
    full.mockRestore();
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
});
