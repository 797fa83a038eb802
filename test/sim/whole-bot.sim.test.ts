import { beforeAll, describe, expect, it } from "vitest";
import { loadCrypto } from "../../src/platform/crypto.ts";
import type { Crypto } from "../../src/ports/crypto.ts";
import { simulate } from "../../src/sim/simulate.ts";
import strategy from "../../strategies/pure-market-making.ts";

let crypto: Crypto;
beforeAll(async () => {
  crypto = await loadCrypto();
});

describe("whole bot", () => {
  it("one", { timeout: 100000 }, async () => {
    const from = Number(process.env["FROM"] ?? 1);
    const to = Number(process.env["TO"] ?? 1);
    for (let seed = from; seed <= to; seed++) {
      const t = performance.now();
      const log = process.env["LOG"]
        ? (Object.fromEntries(
            ["debug", "info", "warn", "error"].map((l) => [
              l,
              (f: object, m: string) => {
                if (l !== "debug") console.log(l, m, JSON.stringify(f));
              },
            ]),
          ) as never)
        : undefined;
      const r = await simulate({ seed, crypto, strategy, ...(log ? { log } : {}) });
      console.log(
        seed,
        Math.round(performance.now() - t),
        r.virtualMs,
        r.violations,
        r.end?.ok,
        r.end?.reason,
      );
      if (process.env["MORE"]) console.log(r.reached, r.end, r.traceHash);
    }
  });
});
