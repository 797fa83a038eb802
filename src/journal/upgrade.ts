import { gridRules } from "../domain/grid-rules.ts";
import type { Market } from "../domain/market.ts";
import type { LimitsToDerive } from "../kernel/config.ts";
import type { Input } from "../kernel/input.ts";
import { refusalReasonOf } from "../spec/refusal.ts";
import type { BatchEntry, Entry, RunHeader, SegmentHead } from "./entry.ts";

/** The format that is written. All older formats can be read: to change names or shapes, add 1 and a translation below. */
export const FORMAT_VERSION = 4;

/** The head of a segment as it is written, with the format in its header. */
export function withFormatVersion({ header, ...rest }: SegmentHead): SegmentHead {
  const written = { ...header, formatVersion: FORMAT_VERSION };
  return { ...rest, header: written };
}

/** The format of a segment, from its first entry as it was written; undefined when the entry does not say. */
export function formatVersionOf({ head }: Extract<Entry, { type: "run" }>): number | undefined {
  const version: unknown = Reflect.get(head.header, "formatVersion");
  return typeof version === "number" ? version : undefined;
}

/** Translates an entry of format `formatVersion` to the current format. */
export function upgradeEntry<Some extends Entry>(entry: Some, formatVersion: number): Some;
export function upgradeEntry(entry: Entry, formatVersion: number): Entry {
  const translated = formatVersion === 1 ? fromFormat1(entry) : entry;
  return formatVersion <= 3 ? fromFormat3(translated) : translated;
}

/** In format 3 `limitsToDerive` was called `derives`. */
function fromFormat3(entry: Entry): Entry {
  if (entry.type !== "run") return entry;
  const { header } = entry.head;
  const { derives, ...kernel }: KernelConfigOfFormat3 = header.kernel;
  if (derives === undefined) return entry;
  const renamed = { ...header, kernel: { ...kernel, limitsToDerive: derives } };
  return { type: "run", head: { ...entry.head, header: renamed } };
}

type KernelConfigOfFormat3 = RunHeader["kernel"] & { readonly derives?: LimitsToDerive };

/** Names of format 1 that have changed since, by place. */
const format1 = {
  timing: new Map([
    ["askFirstMs", "queryFirstMs"],
    ["askMaxMs", "queryMaxMs"],
    ["refusalRestMs", "refusalCooldownMs"],
    ["refusalRestMaxMs", "refusalCooldownMaxMs"],
  ]),
  inputTypes: new Map([
    ["answer", "response"],
    ["turnWanted", "tokenWanted"],
  ]),
  effectTypes: new Map([["turns", "tokens"]]),
} as const;

function fromFormat1(entry: Entry): Entry {
  switch (entry.type) {
    case "run": {
      const { header, restored } = entry.head;
      return { type: "run", head: { header: headerFromFormat1(header), restored } };
    }
    case "batch":
      return { type: "batch", entry: batchFromFormat1(entry.entry) };
    case "checkpoint":
    case "crash":
    case "adjusted":
    case "synced":
    case "end":
      return entry;
  }
}

function headerFromFormat1(header: RunHeader): RunHeader {
  const { kernel } = header;
  const timing = Object.entries(kernel.timing).map(([name, value]) => [
    format1.timing.get(name) ?? name,
    value,
  ]);
  return {
    ...header,
    kernel: { ...kernel, timing: Object.fromEntries(timing) },
    markets: header.markets.map(withRules),
  };
}

/** In format 1 markets had no rules of their own: all followed the grid of §4.5. */
function withRules(market: Omit<Market, "rules"> & Partial<Pick<Market, "rules">>): Market {
  return { ...market, rules: market.rules ?? gridRules.spec };
}

function batchFromFormat1(entry: BatchEntry): BatchEntry {
  const { batch, effects } = entry;
  return {
    ...entry,
    batch: { ...batch, inputs: batch.inputs.map(inputFromFormat1) },
    effects: effects.map((effect) => retyped(effect, format1.effectTypes)),
  };
}

function inputFromFormat1(old: Input): Input {
  const input = retyped(old, format1.inputTypes);
  if (input.type !== "response" || input.outcome.type !== "refused") return input;
  // Format 1 has the venue's error code where format 2 has a reason.
  const code: unknown = Reflect.get(input.outcome, "code");
  if (typeof code !== "number") return input;
  const { message, retryAfterMs } = input.outcome;
  const reason = refusalReasonOf(code);
  return { ...input, outcome: { type: "refused", reason, message, retryAfterMs } };
}

/** Replaces an old type name. The field order stays, since `journal verify` compares bytes. */
function retyped<Shape extends { readonly type: string }>(
  value: Shape,
  types: ReadonlyMap<string, string>,
): Shape {
  const type = types.get(value.type);
  return type === undefined ? value : { ...value, type };
}
