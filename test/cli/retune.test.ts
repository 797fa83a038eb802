import { expect, test } from "vitest";
import { Retuner } from "../../src/cli/retune.ts";
import { loadBotConfig } from "../../src/config/load-bot-config.ts";

const file = new URL("../../config/pure-market-making.yaml", import.meta.url).pathname;
const env = { TOUCHLINE_KEY: `0x${"11".repeat(32)}` };

test.each([
  ["bidSpread=lots", "bidSpread=lots: is not a share, write 0.1% or 0.001"],
  ["size=-1", "size=-1: must not be negative"],
  ["levels=two", "levels=two: is text, must be a number"],
  ["requote.neerer=1%", "requote.neerer=1%: is not a known key, did you mean nearer?"],
  ["bidSpread", '"bidSpread" is not key=value, such as size=0.5'],
  ["bidSpread: 0.1%", '"bidSpread: 0.1%" is not key=value, such as size=0.5'],
  ["size={", "size={: "],
])("tune says what is wrong with the setting that was written: %s", async (setting, said) => {
  const options = { overrides: [], env, needs: "key" } as const;
  const retuner = new Retuner(
    { config: await loadBotConfig(file, options), options },
    { tune: () => undefined, markets: [] },
  );
  const tune = (name: string) =>
    retuner.tune(name, ["askSpread=0.1%", setting], { who: "me", from: "socket" });
  await expect(tune("eth-maker")).rejects.toThrow(`Nothing was changed: ${said}`);
  await expect(tune("eth-makr")).rejects.toThrow(
    "this bot has no strategy eth-makr, did you mean eth-maker; it has eth-maker.",
  );
});

test.each([
  ["glft", "maxInventory=9"],
  ["pov", "clip=9"],
  ["pov", "maxSlippage=9%"],
  ["twap", "limit=9"],
  ["grid", "maxOrders=99"],
  ["hedged-maker", "clip=9"],
])("an agent changes no parameter of %s that limits the risk: %s", async (name, setting) => {
  const options = { overrides: [], env, needs: "key" } as const;
  const loaded = await loadBotConfig(file.replace("pure-market-making", name), options);
  const given: unknown[] = [];
  const bot = { tune: (strategies: unknown) => void given.push(strategies), markets: [] };
  const retuner = new Retuner({ config: loaded, options }, bot);
  const [strategy] = loaded.strategies;
  const by = { who: "me", from: "page" };
  const tune = (isAgent: boolean) =>
    retuner.tune(strategy?.name ?? "", [setting], { ...by, ...(isAgent ? { isAgent } : {}) });
  await expect(tune(true)).rejects.toMatchObject({ code: "NOT_FOR_AGENTS" });
  expect(given).toEqual([]);
  expect(await tune(false)).toMatchObject({ changed: [strategy?.name] });
});
