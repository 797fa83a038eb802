/**
 * The rooms of src/, lowest first, and which rooms each may import: `all` is every room above it in
 * this list. `types` are rooms of which only types may be imported.
 */
export interface Room {
  readonly name: string;
  readonly imports: readonly string[] | "all";
  readonly types?: readonly string[];
  /** Core rooms are deterministic: no clock, randomness, I/O, promises or logs. */
  readonly core?: true;
}

export const rooms: readonly Room[] = [
  { name: "base", imports: [], core: true },
  { name: "domain", imports: ["base"], core: true },
  { name: "spec", imports: ["base", "domain"], core: true },
  { name: "ports", imports: ["base", "domain"] },
  { name: "book", imports: ["base", "domain"], core: true },
  { name: "exchange", imports: ["base", "domain", "spec", "book"], core: true },
  { name: "orders", imports: ["base", "domain"], core: true },
  { name: "estimators", imports: ["base", "domain"], core: true },
  { name: "strategy", imports: ["base", "domain", "book", "orders", "estimators"], core: true },
  { name: "execution", imports: ["base", "domain", "orders"], core: true },
  { name: "risk", imports: ["base", "domain", "book", "orders", "execution"], core: true },
  {
    name: "kernel",
    imports: ["base", "domain", "book", "orders", "strategy", "execution", "risk"],
    core: true,
  },
  { name: "gateway", imports: ["base", "domain", "spec", "ports"], types: ["kernel"] },
  { name: "venue", imports: ["base", "domain", "spec", "ports", "exchange"] },
  { name: "recordings", imports: ["base", "domain", "spec", "ports", "book"] },
  { name: "journal", imports: ["base", "domain", "spec", "ports", "orders"], types: ["kernel"] },
  {
    name: "sources",
    imports: ["base", "domain", "spec", "ports", "gateway", "recordings"],
    types: ["kernel"],
  },
  { name: "platform", imports: ["base", "domain", "spec", "ports"] },
  {
    name: "sdk",
    imports: [
      "base",
      "domain",
      "spec",
      "ports",
      "book",
      "execution",
      "gateway",
      "venue",
      "platform",
    ],
  },
  { name: "metrics", imports: ["base", "domain", "book", "orders", "journal"], types: ["kernel"] },
  {
    name: "simulated",
    imports: ["base", "domain", "spec", "exchange", "recordings"],
    types: ["kernel"],
  },
  { name: "config", imports: "all" },
  {
    name: "session",
    imports: ["base", "domain", "spec", "ports", "execution", "gateway", "platform", "sdk"],
    types: ["config"],
  },
  {
    name: "recorder",
    imports: ["base", "domain", "spec", "ports", "gateway", "recordings", "sources"],
    types: ["kernel"],
  },
  { name: "control", imports: ["base", "domain", "ports"] },
  { name: "runtime", imports: "all" },
  {
    name: "guard",
    imports: ["base", "domain", "ports", "spec", "gateway", "control", "runtime"],
  },
  { name: "backtest", imports: "all" },
  { name: "parity", imports: "all" },
  { name: "sweep", imports: "all" },
  { name: "sim", imports: "all" },
  { name: "dashboard", imports: "all" },
  { name: "alerts", imports: "all" },
  { name: "testing", imports: "all" },
  { name: "cli", imports: "all" },
  /** src/index.ts, what `import "touchline"` gives to strategies. */
  { name: "index.ts", imports: ["base", "domain", "strategy"] },
  /** src/ladder.ts, what `import "touchline/ladder"` gives to strategies. */
  { name: "ladder.ts", imports: ["domain", "strategy"] },
];

/** Built-in strategies import what users import; these rooms by path as well. */
export const strategyFilesMayImport = {
  rooms: ["strategy", "domain"],
  packages: ["touchline", "touchline/estimators", "touchline/ladder"],
};
