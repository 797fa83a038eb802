import { loadPlugin } from "../config/load-plugin.ts";
import { loadCrypto } from "../platform/crypto.ts";
import type { WorldTools } from "./world.ts";

/** Loads what every world needs. */
export async function simulationTools(): Promise<WorldTools> {
  const crypto = await loadCrypto();
  const loaded = await loadPlugin({ plugin: "pure-market-making", configFile: "bot.yaml" });
  if (!loaded.ok) throw new Error(loaded.error);
  return { crypto, strategy: loaded.value };
}
