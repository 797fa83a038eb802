const everywhere = "everywhere";
const outsideTheCore = "outside the core";

export type Places = readonly string[] | typeof everywhere | typeof outsideTheCore;

/**
 * Library → rooms that may import it, types included. What opens sockets, files or processes loads
 * only in platform, dashboard and cli; a room needing more takes a port. A library that is not
 * listed may be imported nowhere. A subpath (`undici/types`) counts as its library.
 */
export const libraries: Readonly<Record<string, Places>> = {
  zod: everywhere,
  "decimal.js": ["domain"],

  ethers: ["platform"],
  secp256k1: ["platform"],
  "hash-wasm": ["platform"],
  "hyparquet-writer": ["platform"],
  minizlib: ["platform"],
  undici: ["platform"],
  ws: ["platform"],
  pino: ["platform"],

  "p-queue": ["gateway"],
  eventemitter3: outsideTheCore,
  yaml: ["config"],
  commander: ["cli"],
  "@clack/prompts": ["cli"],
  "@modelcontextprotocol/sdk": ["cli"],
  hono: ["dashboard"],
  "@prometheus-io/client": ["dashboard"],
  "@hono/node-server": ["dashboard"],
  // In a clone only, to build the page.
  vite: ["dashboard"],

  // Without side effects.
  "node:path": outsideTheCore,
  "node:url": outsideTheCore,
  "node:util": outsideTheCore,
  "node:zlib": outsideTheCore,
  // Config reads YAML files and loads plugins; the simulator's command adds up saved output.
  "node:fs": ["platform", "dashboard", "cli", "config", "sim"],
  // The page's thread sets its priority.
  "node:os": ["platform", "dashboard", "cli"],
  "node:child_process": ["platform", "cli"],
  "node:module": ["platform", "config"],
  "node:worker_threads": ["platform", "dashboard", "alerts", "cli"],
  // Every other built-in.
  "node:*": ["platform", "dashboard", "cli"],
};
