import type { Input } from "../kernel/input.ts";
import { refusalReasonOf } from "../spec/refusal.ts";
import type { BatchEntry, Entry, RunHeader, SegmentHead } from "./entry.ts";

/** The format that is written. Every older one is read: a change of names or shapes adds one to it and its translation below. */
export const FORMAT_VERSION = 2;

/** The head of a segment as it is written: the header says the format. */
export function withFormatVersion({ header, restored }: SegmentHead): SegmentHead {
  const written = { ...header, formatVersion: FORMAT_VERSION };
  return { header: written, restored };
}

/** Of a segment's first entry, as it was written. */
export function formatVersionOf({ head }: Extract<Entry, { type: "run" }>): number | undefined {
  const version: unknown = Reflect.get(head.header, "formatVersion");
  return typeof version === "number" ? version : undefined;
}

/** An entry of any format that was ever written, under today's names. */
export function upgradeEntry<Some extends Entry>(entry: Some, formatVersion: number): Some;
export function upgradeEntry(entry: Entry, formatVersion: number): Entry {
  return formatVersion === 1 ? fromFormat1(entry) : entry;
}

/** Names of format 1 that have another one now, by where they stand. */
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
      return entry;
  }
}

function headerFromFormat1(header: RunHeader): RunHeader {
  const { kernel } = header;
  const timing = Object.entries(kernel.timing).map(([name, value]) => [
    format1.timing.get(name) ?? name,
    value,
  ]);
  return { ...header, kernel: { ...kernel, timing: Object.fromEntries(timing) } };
}

function batchFromFormat1(entry: BatchEntry): BatchEntry {
  const { batch, effects } = entry;
  return {
    ...entry,
    batch: { ...batch, inputs: batch.inputs.map(inputFromFormat1) },
    effects: effects.map((effect) => retyped(effect, format1.effectTypes)),
  };
}

/** Refused commands carried the code of the venue's interface in place of the reason. */
function inputFromFormat1(input: Input): Input {
  const named = retyped(input, format1.inputTypes);
  if (named.type !== "response" || named.outcome.type !== "refused") return named;
  const { type, message, retryAfterMs } = named.outcome;
  const code: unknown = Reflect.get(named.outcome, "code");
  if (typeof code !== "number") return named;
  return { ...named, outcome: { type, reason: refusalReasonOf(code), message, retryAfterMs } };
}

/** With the type's name of today. The order of fields stays, since `journal verify` compares bytes. */
function retyped<Shape extends { readonly type: string }>(
  value: Shape,
  types: ReadonlyMap<string, string>,
): Shape {
  const type = types.get(value.type);
  return type === undefined ? value : { ...value, type };
}
