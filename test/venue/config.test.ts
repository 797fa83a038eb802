import { describe, expect, test } from "vitest";
import { fixed } from "../../src/domain/fixed.ts";
import { tokenId } from "../../src/domain/ids.ts";
import { venueSchema, venueWithoutConfig } from "../../src/venue/config.ts";

/** `path: message` of every problem. */
function problems(document: unknown): string[] {
  const parsed = venueSchema.safeParse(document);
  return parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
}

describe("the venue's YAML", () => {
  test("reads the example of the documentation", () => {
    const owner = `0x${"Ab".repeat(20)}`;
    const config = venueSchema.parse({
      chainId: 1001,
      l1ChainId: 8217,
      tokens: [
        { tokenId: "1", symbol: "ETH", decimals: 18 },
        { tokenId: "2", symbol: "USDT", decimals: 6 },
      ],
      markets: [{ base: "1", quote: "2", makerFee: "0.0002", takerFee: "0.0005", listed: true }],
      accounts: { [owner]: { "1": "100", "2": "250000" } },
      faucet: { "1": "10", "2": "25000" },
      flow: "none",
      rateLimit: { perSecond: 0 },
      faults: "none",
      dataDir: null,
    });
    expect(config.markets[0]?.takerFee).toBe(fixed("0.0005"));
    expect(config.accounts[owner]?.get(tokenId("2"))).toBe(fixed("250000"));
  });

  test("accepts an empty document, and the settings of `touchline venue` without a file", () => {
    expect(problems({})).toEqual([]);
    expect(problems(venueWithoutConfig)).toEqual([]);
  });

  test("reads every form of flow", () => {
    expect(venueSchema.parse({ flow: { replay: "./data" } }).flow).toEqual({
      replay: "./data",
      speed: 1,
    });
    expect(venueSchema.parse({ flow: "synthetic" }).flow).toMatchObject({ synthetic: { seed: 1 } });
    expect(venueSchema.parse({ flow: { synthetic: { seed: 9 } } }).flow).toMatchObject({
      synthetic: { seed: 9, levels: 12 },
    });
    expect(problems({ flow: "random" })).toHaveLength(1);
  });

  test("reports all problems at once, each with its place", () => {
    expect(
      problems({
        chainID: 5,
        tokens: [{ tokenId: "1", symbol: "ETH" }],
        markets: [{ base: "1", quote: "2", makerFee: "2" }],
        faults: [{ kind: "drop", rate: 3 }],
      }),
    ).toEqual([
      expect.stringMatching(/^markets.0.makerFee: is not a share/),
      expect.stringMatching(/^faults: /),
      expect.stringMatching(/^: .*chainID/),
    ]);
    expect(problems({ tokens: [{ tokenId: "1", symbol: "ETH" }] })).toEqual([
      "markets.0.quote: there is no token 2 among tokens",
    ]);
    expect(problems({ faucet: { "7": "1" } })).toEqual([
      "faucet.7: there is no token 7 among tokens",
    ]);
  });
});
