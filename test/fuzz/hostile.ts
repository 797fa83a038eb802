import fc from "fast-check";
import { codePoint } from "../support/code-point.ts";

/** Error-prone values and ways to corrupt valid ones: the grammar of the fuzzer's inputs. */

export const hostileText = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "0",
    "-0",
    "+1",
    "1 ",
    " 1",
    "1.",
    ".5",
    "00",
    "0x10",
    "1e3",
    "1e400",
    "1_0",
    "NaN",
    "Infinity",
    "null",
    "true",
    "undefined",
    "١",
    "１",
    "1,5",
    "1.2.3",
    "9007199254740991",
    "9007199254740993",
    "9223372036854775808",
    "0.000000000000000001",
    "0.0000000000000000001",
    "1".repeat(40),
    "1".repeat(41),
    "9".repeat(400),
    "__proto__",
    "constructor",
    "toString",
    "\u0000",
    "\ud800",
    "\u202e",
    "\ufeff1",
    "1\n",
    "%00",
    "../..",
    "'; DROP TABLE orders; --",
    "0x",
    `0x${"0".repeat(40)}`,
    `0x${"g".repeat(40)}`,
    `0X${"a".repeat(40)}`,
    `0x${"ab".repeat(32)}`,
    "1_2",
    "_",
    "1_",
    "1_2_3",
  ),
  fc.string({ maxLength: 12 }),
  fc.string({ maxLength: 6, unit: codePoint }),
);

export const decimal = fc.oneof(
  fc.tuple(fc.nat(99_999), fc.nat(22)).map(([digits, decimals]) => {
    const text = String(digits).padStart(decimals + 1, "0");
    return decimals === 0 ? text : `${text.slice(0, -decimals)}.${text.slice(-decimals)}`;
  }),
  fc.constantFrom("1800", "1800.5", "0.5", "1", "0.1", "10", "0", "0.0", "1.50", "001"),
);

export const hostileNumber = fc.oneof(
  fc.constantFrom(0, -0, 1, 2, -1, 0.5, 1e21, 5e-324, 2 ** 53, -(2 ** 53), 1e308),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 3, arbitrary: hostileNumber },
  { weight: 1, arbitrary: fc.constantFrom(true, false, null, [], {}, [[]], [null], { a: 1 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
);

/** One corruption of a JSON object: a field is removed, changed, added, renamed or nested. */
export interface Spoil {
  readonly kind: "drop" | "set" | "add" | "rename" | "nest";
  readonly at: number;
  readonly name: string;
  readonly value: unknown;
}

export const spoil: fc.Arbitrary<Spoil> = fc.record({
  kind: fc.constantFrom("drop", "set", "set", "set", "add", "rename", "nest"),
  at: fc.nat(50),
  name: fc.oneof(
    fc.constantFrom(
      "__proto__",
      "constructor",
      "tx",
      "price",
      "l1owner",
      "clientOrderId",
      "",
      "tpsl",
    ),
    fc.string({ maxLength: 8 }),
  ),
  value: hostileJson,
});

type Tree = Record<string, unknown>;

/** A deep copy with each corruption applied to one field, at any depth. */
export function spoiled(value: unknown, steps: readonly Spoil[]): unknown {
  const root = { root: structuredClone(value) };
  for (const step of steps) {
    const places: [Tree, string][] = [];
    collect(root, places);
    const place = places[step.at % places.length];
    if (place === undefined) continue;
    const [holder, name] = place;
    const put = (key: string, what: unknown): void => {
      // A copy, because a later corruption may change it.
      Object.defineProperty(holder, key, {
        value: structuredClone(what),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    };
    if (Array.isArray(holder) || step.kind === "set") put(name, step.value);
    else if (step.kind === "nest") put(name, { [name]: holder[name] });
    else if (name === "root") continue;
    else if (step.kind === "drop") Reflect.deleteProperty(holder, name);
    else if (step.kind === "add") put(step.name, step.value);
    else {
      const old = holder[name];
      Reflect.deleteProperty(holder, name);
      put(step.name, old);
    }
  }
  return root.root;
}

function collect(value: unknown, places: [Tree, string][]): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    places.push([value as Tree, name]);
    collect(inner, places);
  }
}

/** One corruption of a text: a character inserted, removed or changed, a repeated part, a cut, or a duplicate field. */
export interface Scratch {
  readonly kind: "insert" | "remove" | "replace" | "repeat" | "cut" | "swap";
  readonly at: number;
  readonly length: number;
  readonly text: string;
}

export const scratch: fc.Arbitrary<Scratch> = fc.record({
  kind: fc.constantFrom("insert", "remove", "replace", "repeat", "cut", "swap"),
  at: fc.nat(2000),
  length: fc.integer({ min: 1, max: 12 }),
  text: fc.oneof(
    fc.constantFrom(
      '"',
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      "\\",
      "0",
      "-",
      ".",
      "e",
      " ",
      "\n",
      "\u0000",
    ),
    fc.constantFrom('"l1owner":"x",', '"side":1,', "\\u0031", "é", "\ufeff", "null", "//", "'"),
    fc.string({ minLength: 1, maxLength: 3 }),
  ),
});

export function scratched(text: string, steps: readonly Scratch[]): string {
  let now = text;
  for (const { kind, at: anywhere, length, text: more } of steps) {
    const at = now.length === 0 ? 0 : anywhere % (now.length + 1);
    const head = now.slice(0, at);
    const middle = now.slice(at, at + length);
    const tail = now.slice(at + length);
    if (kind === "insert") now = head + more + middle + tail;
    else if (kind === "remove") now = head + tail;
    else if (kind === "replace") now = head + more + tail;
    else if (kind === "repeat") now = head + middle + middle + tail;
    else if (kind === "cut") now = head;
    else now = head + [...middle].reverse().join("") + tail;
  }
  return now;
}

/** One corruption of bytes: a bit flipped, a byte set, inserted or removed, or a cut. */
export interface Flip {
  readonly kind: "flip" | "set" | "insert" | "remove" | "cut" | "repeat";
  readonly at: number;
  readonly byte: number;
}

export const flip: fc.Arbitrary<Flip> = fc.record({
  kind: fc.constantFrom("flip", "flip", "set", "insert", "remove", "cut", "repeat"),
  at: fc.nat(4000),
  byte: fc.oneof(
    fc.nat(255),
    fc.constantFrom(
      0,
      0x7f,
      0x80,
      0xb7,
      0xb8,
      0xbf,
      0xc0,
      0xf7,
      0xf8,
      0xff,
      48,
      57,
      34,
      44,
      46,
      93,
    ),
  ),
});

export function flipped(bytes: Uint8Array, steps: readonly Flip[]): Uint8Array {
  let now = [...bytes];
  for (const { kind, at: anywhere, byte } of steps) {
    const at = now.length === 0 ? 0 : anywhere % now.length;
    if (kind === "flip") now[at] = (now[at] ?? 0) ^ (1 << (byte % 8));
    else if (kind === "set") now[at] = byte;
    else if (kind === "insert") now.splice(at, 0, byte);
    else if (kind === "remove") now.splice(at, 1);
    else if (kind === "cut") now = now.slice(0, at);
    else now.splice(at, 0, ...now.slice(at, at + 1 + (byte % 8)));
  }
  return Uint8Array.from(now);
}

/** Mostly one corruption, sometimes none or several. */
export const few = <Step>(step: fc.Arbitrary<Step>): fc.Arbitrary<Step[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Step[]>([]) },
    { weight: 6, arbitrary: step.map((one) => [one]) },
    { weight: 2, arbitrary: fc.array(step, { minLength: 2, maxLength: 4 }) },
  );
