import { spawnSync } from "node:child_process";
import fs, {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
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

it("of several bots in a process adds one listener for its end", () => {
  createLog();
  const before = process.listenerCount("exit");
  createLog();
  expect(process.listenerCount("exit")).toBe(before);
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
  const log = createLog({ descriptor: openSync("/dev/full", "a") });
  for (let line = 0; line < 3; line += 1) {
    expect(() => log.error({ line }, "lost")).not.toThrow();
  }
});

/** A pipe without a reader's end of its own: `read` takes what it holds. */
function pipe(folder: string) {
  const file = path.join(folder, "pipe");
  spawnSync("mkfifo", [file]);
  const descriptor = openSync(file, constants.O_RDWR);
  const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  return {
    descriptor,
    read(): string {
      const bytes = Buffer.alloc(4_000_000);
      try {
        return bytes.toString("utf8", 0, readSync(reader, bytes));
      } catch {
        return "";
      }
    },
    close(): void {
      closeSync(descriptor);
      closeSync(reader);
    },
  };
}

it.runIf(existsSync("/dev/fd/2"))(
  "waits for no reader of a pipe, keeps a part of the lines, and says how many it lost",
  () => {
    const folder = mkdtempSync(path.join(tmpdir(), "touchline-log-"));
    const place = pipe(folder);
    try {
      const log = createLog({ descriptor: place.descriptor });
      const total = 3_000;
      for (let line = 0; line < total; line += 1) log.info({ line, text: "x".repeat(500) }, "a");
      let text = place.read();
      while (!text.includes("were lost")) {
        log.info({}, "b");
        text += place.read();
      }
      const lines = text
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      const kept = lines.filter(({ msg }) => msg === "a").map(({ line }) => line);
      expect(kept).toEqual(kept.map((_, index) => index));
      const lost = lines.filter(({ msg }) => msg === "lines of this log were lost");
      const lostLines = lost.reduce((sum, line) => sum + line.lines, 0);
      expect(lostLines).toBeGreaterThan(0);
      expect(kept.length + lostLines).toBe(total);
    } finally {
      place.close();
      rmSync(folder, { recursive: true });
    }
  },
);

it("says how many lines were lost on a disk that was full for long, and goes on", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-log-"));
  const file = path.join(folder, "log");
  const descriptor = openSync(file, "a");
  const full = vi.spyOn(fs, "writeSync").mockImplementation(() => {
    throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  });
  try {
    const log = createLog({ descriptor });
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
      { lines: count - kept, msg: "lines of this log were lost" },
      { msg: "after" },
      { msg: "later" },
    ]);
  } finally {
    full.mockRestore();
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
});
