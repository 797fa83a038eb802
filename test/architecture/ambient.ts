/** What the core and strategies may not touch, and what to use instead. */
export interface AmbientBan {
  readonly name: string;
  readonly pattern: RegExp;
  readonly instead: string;
}

const time = "time is an input: take `now` from the batch, or the Clock port outside the core";
const timers = "expose the next deadline; the driver arms one timer";
const chance = "use the seeded Prng of src/base";
const io = "return an effect; the driver does I/O through a port";
const synchronous = "the core is synchronous: return an effect, its outcome comes back as an input";

export const ambientBans: readonly AmbientBan[] = [
  { name: "Date", pattern: /(?<![.\w])Date\b(?=\s*[.(])|\bnew\s+Date\b/g, instead: time },
  { name: "performance", pattern: /(?<![.\w])performance\s*\./g, instead: time },
  {
    name: "setTimeout, setInterval, setImmediate, queueMicrotask",
    pattern: /(?<!\w)(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    instead: timers,
  },
  { name: "Math.random", pattern: /\bMath\s*\.\s*random\b/g, instead: chance },
  { name: "randomUUID, randomBytes", pattern: /\b(?:randomUUID|randomBytes)\b/g, instead: chance },
  {
    name: "global crypto",
    pattern: /(?<![.\w])crypto\s*\.\s*(?:subtle|getRandomValues)\b/g,
    instead: "use the Crypto port, or the seeded Prng",
  },
  {
    name: "process",
    pattern: /(?<![.\w])process\s*\./g,
    instead: "take it as a setting, or return an effect",
  },
  { name: "globalThis", pattern: /\bglobalThis\b/g, instead: "take it as an argument" },
  { name: "fetch", pattern: /(?<![.\w])fetch\s*\(/g, instead: io },
  { name: "WebSocket", pattern: /(?<![.\w])WebSocket\b/g, instead: io },
  {
    name: "async, await, Promise",
    pattern: /(?<![.\w])(?:async\b(?!\s*[:,}])|await\b|Promise\b)/g,
    instead: synchronous,
  },
  {
    name: "console",
    pattern: /(?<![.\w])console\s*\./g,
    instead: "return a note; observers log it",
  },
  { name: "import()", pattern: /\bimport\s*\(/g, instead: "import at the top" },
  {
    name: "locale",
    pattern: /\.\s*(?:toLocale\w*|localeCompare)\b|(?<![.\w])Intl\s*\./g,
    instead: "it differs between machines: compare with < and write text by the formatter",
  },
];
