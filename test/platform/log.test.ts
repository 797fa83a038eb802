import { expect, it } from "vitest";
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
