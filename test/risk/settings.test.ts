import { describe, expect, it } from "vitest";
import { z } from "zod";
import { fixed } from "../../src/domain/fixed.ts";
import { limitKeys } from "../../src/risk/rules.ts";
import { defaultRisk, limitsFor, riskSchema } from "../../src/risk/settings.ts";

describe("risk settings", () => {
  it("have safe defaults", () => {
    expect(defaultRisk).toEqual({
      triggers: {},
      widenBy: 2,
      staleBook: 10_000,
      priceCollar: 0.05,
      maxOrderSize: null,
      maxOrderNotional: null,
      maxPosition: null,
      maxNet: null,
      maxOpenOrders: 50,
      markets: {},
    });
  });

  it("are parsed from the form in which people write them", () => {
    const settings = riskSchema.parse({
      staleBook: "20s",
      priceCollar: 0.02,
      maxOrderSize: "0.5",
      maxPosition: 0,
      maxOpenOrders: null,
    });
    expect(settings).toMatchObject({
      staleBook: 20_000,
      priceCollar: 0.02,
      maxOrderSize: fixed("0.5"),
      maxPosition: 0n,
      maxOpenOrders: null,
    });
  });

  it("refuse a share of 0, which every value reaches before the first fill", () => {
    const parsed = riskSchema.safeParse({ triggers: { feeSurprise: { halt: 0 } } });
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([
      "must be above 0: every value reaches 0",
    ]);
  });

  it.each([
    [{ takerShare: { halt: "150%" } }, "is too large, at most 100%"],
    [
      { fillsAgainstMid: { pause: "1%", after: "10m", window: "10m" } },
      "must be shorter than window: no fill would be compared with a later mid",
    ],
    [{ rejects: { pause: 3, recoverAfter: "0s" } }, "is too short, at least 1ms"],
  ])("refuse a trigger that could not act or would not last: %j", (triggers, expected) => {
    const parsed = riskSchema.safeParse({ triggers });
    expect(parsed.error?.issues.map(({ message }) => message)).toEqual([expected]);
  });

  it("override general limits by a market's own limits, and only those", () => {
    const settings = riskSchema.parse({
      priceCollar: "1%",
      markets: { "1_2": { maxPosition: "3", staleBook: null } },
    });
    expect(settings.markets["1_2"]).toEqual({ maxPosition: fixed("3"), staleBook: null });
    expect(limitsFor(settings, "1_2")).toMatchObject({
      maxPosition: fixed("3"),
      staleBook: null,
      priceCollar: 0.01,
      maxOpenOrders: 50,
    });
    expect(limitsFor(settings, "3_2").maxPosition).toBeNull();
  });

  it.each([
    [{ maxOrder: 5 }, "maxOrder"],
    [{ staleBook: 5 }, "staleBook"],
    [{ staleBook: "50ms" }, "staleBook"],
    [{ priceCollar: "-1%" }, "priceCollar"],
    [{ maxOrderSize: "0" }, "maxOrderSize"],
    [{ maxOpenOrders: 0.5 }, "maxOpenOrders"],
    [{ markets: { ETH: {} } }, "ETH"],
    [{ markets: { "1_2": { maxOrder: 5 } } }, "maxOrder"],
  ])("reject %j", (written, named) => {
    const result = riskSchema.safeParse(written);
    expect(result.success).toBe(false);
    expect(JSON.stringify(result.error?.issues)).toContain(named);
  });

  it("appear in the editors' schema with a description and a default as people write it", () => {
    const schema = z.toJSONSchema(riskSchema, { io: "input" }) as {
      readonly properties: Readonly<Record<string, { description?: string; default?: unknown }>>;
    };
    for (const key of limitKeys) {
      expect(schema.properties[key]?.description).toContain("null turns it off");
    }
    expect(schema.properties["staleBook"]?.default).toBe("10s");
    expect(schema.properties["priceCollar"]?.default).toBe("5%");
  });
});
