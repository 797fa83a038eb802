import {
  type Document,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type ParsedNode,
  type Scalar,
  type Tags,
  visit,
  type YAMLError,
} from "yaml";
import type { z } from "zod";
import { holdsKey } from "../base/key-text.ts";
import { parseFixed, plainNumber } from "../domain/fixed.ts";
import { validate } from "./issue.ts";
import { applyOverride, OverrideError } from "./override.ts";
import { type ConfigPath, keyText, type Problem } from "./problem.ts";
import { mergeDefaults } from "./merge-defaults.ts";
import { nodeAt } from "./yaml-path.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's name, with a default for one that is not set or empty: `${NAME:-default}`. */
const variableForm = /^([A-Za-z_]\w*)(?::-(.*))?$/s;
const variables = /(\$?)\$\{([^}]*)\}/g;

/** Names of the environment variables that a YAML text uses. */
export function variableNames(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(variables)].flatMap(
      ([, , inner = ""]) => variableForm.exec(inner)?.[1] ?? [],
    ),
  );
}

export interface YamlInput {
  /** File name as the user gave it. */
  readonly file: string;
  readonly text: string;
  /** Values of `${NAME}`. */
  readonly env: Environment;
  /** `path.to.key=value` from `--set`. */
  readonly overrides?: readonly string[];
}

/**
 * YAML 1.2 without hex and octal numbers, so that an unquoted `0x…` is read as an address or a hash. Merge keys (`<<`) and anchors
 * are supported.
 */
const parseOptions = {
  merge: true,
  prettyErrors: false,
  customTags: (tags: Tags): Tags =>
    tags.filter(
      (tag) =>
        typeof tag === "string" || !("format" in tag) || !["HEX", "OCT"].includes(tag.format ?? ""),
    ),
};

const KEY_IN_FILE =
  "contains what looks like a private key (64 hex digits), which does not belong in a configuration: name an environment variable or a keystore instead, and regard a key that was written here as known to others";
const EMPTY = "is empty: give it a value, remove it, or write null where that turns something off";
const KEY_IN_VARIABLE =
  "the value of the variable looks like a private key (64 hex digits): account.signer takes the variable's name, { type: env, name: NAME }";

/** Parses a text and applies overrides and variables. Problems are collected in `problems`; nothing is thrown. */
export function parseYaml(input: YamlInput): YamlSource {
  return new YamlSource(input);
}

export class YamlSource {
  readonly file: string;
  /** The text as written. */
  readonly text: string;
  readonly problems: Problem[] = [];
  #value: unknown;
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();
  /** The flag that each overridden node came from. */
  readonly #flags = new Map<unknown, string>();
  /** Texts with a missing variable; no further problems are reported for them. */
  readonly #incomplete = new Set<unknown>();

  constructor(input: YamlInput) {
    this.file = input.file;
    this.text = input.text;
    const written = input.overrides ?? [];
    // First of all, since every other problem may repeat what is written.
    if (this.#collectKeys(input.text, written)) {
      this.#document = parseDocument("");
      return;
    }
    this.#document = parseDocument(input.text, { ...parseOptions, lineCounter: this.#lines });
    const isReadable = this.#collectSyntax(input.text);
    if (!isReadable) return;
    if (this.#document.contents === null && written.length === 0) {
      this.#add(undefined, "", "is empty");
      return;
    }
    for (const override of written) this.#override(override);
    this.#substitute(input.env);
    this.#value = this.#plainValue();
  }

  /** Plain data; undefined when the text is not valid YAML. */
  get value(): unknown {
    return this.#value;
  }

  /** Puts `defaults` under each of `strategies`. */
  mergeDefaults(): void {
    if (this.at(["defaults"]) === undefined) return;
    mergeDefaults(this.#document, (from, to) => {
      const flag = this.#flags.get(from);
      if (flag !== undefined) this.#flags.set(to, flag);
    });
    this.#value = this.#plainValue();
  }

  /**
   * Validates the value at `path`. Undefined when it is invalid; every issue is then added as a problem with its location. A key without a
   * value is one too, since YAML reads it as null, which turns limits off: null has to be written.
   */
  validate<Schema extends z.ZodType>(
    schema: Schema,
    path: ConfigPath = [],
    value: unknown = this.at(path),
  ): z.output<Schema> | undefined {
    const result = validate(schema, value);
    for (const issue of result.ok ? [] : result.issues) {
      this.problem([...path, ...issue.path], issue.message, issue.at);
    }
    for (const empty of this.#emptyKeys()) {
      const isWithin = path.every((part, at) => empty[at] === part);
      const isReported = this.problems.some(({ key }) => key === keyText(empty));
      if (isWithin && !isReported) this.problem(empty, EMPTY);
    }
    return result.ok ? result.value : undefined;
  }

  /** The keys without a value, not even a written null. */
  #emptyKeys(): readonly ConfigPath[] {
    const found: ConfigPath[] = [];
    visit(this.#document, {
      Pair: (_, pair, ancestors) => {
        const { value } = pair;
        const isEmpty =
          value === null || (isScalar(value) && value.value === null && !hasText(value));
        if (isEmpty) found.push(pathOf([...ancestors, pair]));
      },
    });
    return found;
  }

  /** Adds a problem at the location of `path`: its value, its key, or if it is missing, the closest existing parent. */
  problem(path: ConfigPath, message: string, at: "value" | "key" = "value"): void {
    const found = nodeAt(this.#document, path);
    if (found.isComplete && this.#incomplete.has(found.value)) return;
    const flag = found.trail
      .map((node) => this.#flags.get(node))
      .find((text) => text !== undefined);
    const isWhole = found.isComplete && at === "value" && hasText(found.value);
    const node = isWhole || found.key === undefined ? found.value : found.key;
    if (flag === undefined) this.#add(offsetOf(node), keyText(path), message);
    else this.#push(unplaced(flag, keyText(path), message));
  }

  /** The plain value at `path`; undefined when there is none. */
  at(path: ConfigPath): unknown {
    let value = this.value;
    for (const part of path) {
      if (typeof value !== "object" || value === null) return undefined;
      value = Object.hasOwn(value, part) ? Reflect.get(value, part) : undefined;
    }
    return value;
  }

  /** Whether the value at `path` came from a `--set`. */
  isOverridden(path: ConfigPath): boolean {
    return nodeAt(this.#document, path).trail.some((node) => this.#flags.has(node));
  }

  #add(offset: number | undefined, key: string, message: string): void {
    const place = this.#lines.linePos(offset ?? 0);
    const line = place.line === 0 ? 1 : place.line;
    const column = place.line === 0 ? 1 : place.col;
    this.#push({ file: this.file, line, column, key, message });
  }

  /** A mistake in `defaults` is one of each strategy, but is reported once. */
  #push(problem: Problem): void {
    const identity = (each: Problem): string => {
      const key = each.key.replace(/^(?:defaults|strategies\[\d+\])\./, "");
      return JSON.stringify([each.file, each.line, each.column, key, each.message]);
    };
    const own = identity(problem);
    if (!this.problems.some((each) => identity(each) === own)) this.problems.push(problem);
  }

  /** Adds a problem for each line, comments included, and each override that may hold a private key. Returns whether there are any. */
  #collectKeys(text: string, overrides: readonly string[]): boolean {
    for (const [index, line] of text.split("\n").entries()) {
      if (!holdsKey(line) && !holdsKey(unescaped(line))) continue;
      const place = { file: this.file, line: index + 1, column: 1 };
      this.problems.push({ ...place, key: "", message: KEY_IN_FILE });
    }
    for (const override of overrides) {
      if (holdsKey(override)) this.problems.push(unplaced("--set", "", KEY_IN_FILE));
    }
    return this.problems.length > 0;
  }

  /** False when the text cannot be parsed. A duplicate key does not prevent parsing. */
  #collectSyntax(text: string): boolean {
    const lines = new Set<number>();
    let isReadable = true;
    for (const error of [...this.#document.errors, ...this.#document.warnings]) {
      if (error.code !== "DUPLICATE_KEY") isReadable = false;
      // One mistake often causes several errors in its line; only the first is reported.
      const line = this.#lines.linePos(error.pos[0]).line;
      if (lines.has(line)) continue;
      lines.add(line);
      const [key, message] = syntaxMessage(error, text);
      this.#add(error.pos[0], key, message);
    }
    return isReadable;
  }

  #override(override: string): void {
    try {
      const { node, flag } = applyOverride(this.#document, override, parseScalarOrFlow);
      this.#flags.set(node, flag);
    } catch (error) {
      if (!(error instanceof OverrideError)) throw error;
      this.problems.push(unplaced(error.flag, error.key, error.message));
    }
  }

  /** Replaces variables in all texts and keys; `$${NAME}` is an escaped `${NAME}`. */
  #substitute(env: Environment): void {
    visit(this.#document, {
      Alias: (_, alias, ancestors) => {
        if (alias.resolve(this.#document) === undefined) {
          const message = `*${alias.source} refers to an anchor that does not exist`;
          this.#addAt(alias, ancestors, message);
        }
      },
      Scalar: (_, scalar, ancestors) => {
        // Written with escapes, or over several lines, so that no line of the file holds it.
        if (typeof scalar.value === "string" && holdsKey(scalar.value)) {
          this.#hideKey(scalar, ancestors, KEY_IN_FILE);
        }
        if (typeof scalar.value === "string" && scalar.value.includes("${")) {
          this.#substituteIn(scalar, env, ancestors);
        }
        if (typeof scalar.value === "number" && isRounded(scalar)) {
          const message = "has more digits than a number can hold, put it into quotes";
          this.#addAt(scalar, ancestors, message);
        }
      },
    });
  }

  #substituteIn(scalar: Scalar, env: Environment, ancestors: readonly unknown[]): void {
    const missing: string[] = [];
    const text = String(scalar.value).replace(variables, (whole, escape: string, inner: string) => {
      if (escape !== "") return whole.slice(1);
      const [, name, fallback] = variableForm.exec(inner) ?? [];
      if (name === undefined || fallback?.includes("${") === true) {
        missing.push(`${whole} is neither \${NAME} nor \${NAME:-default}`);
        return "";
      }
      const value = fallback === undefined ? env[name] : env[name] || fallback;
      if (value === undefined) missing.push(`the environment variable ${name} is not set`);
      return value ?? "";
    });
    if (missing.length > 0) this.#incomplete.add(scalar);
    if (holdsKey(text)) {
      this.#hideKey(scalar, ancestors, KEY_IN_VARIABLE);
      return;
    }
    for (const message of missing) this.#addAt(scalar, ancestors, message);
    scalar.value =
      scalar.type === "PLAIN" && missing.length === 0 ? plainScalar(text, scalar) : text;
  }

  /** Reports a text that may be a private key, and removes it, so that no later problem repeats it. */
  #hideKey(scalar: Scalar, ancestors: readonly unknown[], message: string): void {
    this.#addAt(scalar, ancestors, message);
    this.#incomplete.add(scalar);
    scalar.value = "";
  }

  /** Adds a problem of a node: at its place in the file, or at the flag that it came from. */
  #addAt(node: unknown, ancestors: readonly unknown[], message: string): void {
    const flag = [...ancestors, node].map((one) => this.#flags.get(one)).find(Boolean);
    if (flag === undefined) this.#add(offsetOf(node), "", message);
    else this.problems.push(unplaced(flag, "", message));
  }

  #plainValue(): unknown {
    try {
      return this.#document.toJS();
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      // Missing anchors are already reported; what remains is an alias bomb.
      if (this.problems.length === 0) this.#add(0, "", "repeats its anchors too often");
      return undefined;
    }
  }
}

/** `\x34`, `\u0034` and `\U00000034` of a text in quotes, and `%34` of a tag. */
const escapes = /\\x([\dA-Fa-f]{2})|\\u([\dA-Fa-f]{4})|\\U([\dA-Fa-f]{8})|%([\dA-Fa-f]{2})/g;

/** A line with its escapes resolved, since errors repeat duplicate keys and unknown tags as they are written. */
function unescaped(line: string): string {
  return line.replace(escapes, (_, ...hex: (string | undefined)[]) =>
    String.fromCharCode(Number.parseInt(hex.find(Boolean) ?? "", 16)),
  );
}

function unplaced(flag: string, key: string, message: string): Problem {
  return { file: flag, line: undefined, column: undefined, key, message };
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** The path of the last of these nodes, each of which is in the one before. */
function pathOf(nodes: readonly unknown[]): ConfigPath {
  return nodes.flatMap((node, at): ConfigPath => {
    if (isPair(node)) return [String(node.key)];
    return isSeq(node) ? [node.items.indexOf(nodes[at + 1])] : [];
  });
}

/** Whether a node has text to point at; an empty value has none. */
function hasText(node: unknown): boolean {
  return (
    isNode(node) &&
    (node.range === undefined || node.range === null || node.range[1] > node.range[0])
  );
}

/** The value of an unquoted text after substitution: `${PORT}` may become a number. */
function plainScalar(text: string, scalar: Scalar): unknown {
  const node = parseScalarOrFlow(text);
  if (!isScalar(node) || node.source !== text) return text;
  if (typeof node.value === "number") scalar.source = text;
  return typeof node.value === "number" || typeof node.value === "boolean" ? node.value : text;
}

/** Parses a scalar or flow value; undefined when it is not valid YAML. */
function parseScalarOrFlow(text: string): ParsedNode | null | undefined {
  const document = parseDocument(text, parseOptions);
  return document.errors.length + document.warnings.length > 0 ? undefined : document.contents;
}

/** Whether the number has more digits than a double can hold. */
function isRounded(scalar: Scalar): boolean {
  const written = parseFixed(scalar.source ?? "");
  if (written === undefined) return /^[+-]?[\d.]{18,}$/.test(scalar.source ?? "");
  return written !== parseFixed(plainNumber(Number(scalar.value)));
}

function syntaxMessage(error: YAMLError, text: string): readonly [key: string, message: string] {
  const at = error.pos[0];
  if (error.code === "DUPLICATE_KEY") {
    const key = /^["']?([^\s:"']+)/.exec(text.slice(at))?.[1] ?? "";
    return [key, "occurs twice in the same map, keep one"];
  }
  if (text[at] === "{" && text[at - 1] === "$") {
    return ["", 'inside { } or [ ] a variable must be in quotes: "${NAME}"'];
  }
  if (error.code === "TAB_AS_INDENT") return ["", "a tab is used for indentation, use spaces"];
  const message = error.message.replace(/\s+/g, " ").trim();
  return ["", `is not valid YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`];
}
