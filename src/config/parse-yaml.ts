import {
  type Document,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  type ParsedNode,
  type Scalar,
  type Tags,
  visit,
  type YAMLError,
} from "yaml";
import type { z } from "zod";
import { parseFixed, plainNumber } from "../domain/fixed.ts";
import { validate } from "./issue.ts";
import { applyOverride, OverrideError } from "./override.ts";
import { type ConfigPath, keyText, type Problem } from "./problem.ts";
import { nodeAt } from "./yaml-path.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface YamlInput {
  /** As the user named it. */
  readonly file: string;
  readonly text: string;
  /** For `${NAME}`. */
  readonly env: Environment;
  /** `path.to.key=value`, as given to `--set`. */
  readonly overrides?: readonly string[];
}

/**
 * YAML 1.2 without hex and octal numbers: `0x…` is an address or a hash here, also without quotes. Merge keys (`<<`)
 * and anchors work.
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

/** Reads a file's text, overrides and variables; mistakes are collected in `problems`, nothing is thrown. */
export function parseYaml(input: YamlInput): YamlSource {
  return new YamlSource(input);
}

export class YamlSource {
  readonly file: string;
  /** As written. */
  readonly text: string;
  readonly problems: Problem[] = [];
  /** Plain data; undefined when the text is not readable as YAML. */
  readonly value: unknown;
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();
  /** Which flag a node came from. */
  readonly #flags = new Map<unknown, string>();
  /** Texts that lack a variable: whatever else is said of them is no news. */
  readonly #incomplete = new Set<unknown>();

  constructor(input: YamlInput) {
    this.file = input.file;
    this.text = input.text;
    this.#document = parseDocument(input.text, { ...parseOptions, lineCounter: this.#lines });
    const isReadable = this.#collectSyntax(input.text);
    if (!isReadable) return;
    if (this.#document.contents === null && (input.overrides ?? []).length === 0) {
      this.#add(undefined, "", "is empty");
      return;
    }
    for (const override of input.overrides ?? []) this.#override(override);
    this.#substitute(input.env);
    this.value = this.#plainValue();
  }

  /** The value at `path` if it fits; otherwise adds a problem for everything that does not, each with its place. */
  validate<Schema extends z.ZodType>(
    schema: Schema,
    path: ConfigPath = [],
    value: unknown = this.at(path),
  ): z.output<Schema> | undefined {
    const result = validate(schema, value);
    if (result.ok) return result.value;
    for (const issue of result.issues) {
      this.problem([...path, ...issue.path], issue.message, issue.at);
    }
    return undefined;
  }

  /** Adds a problem at the place of `path`: its value, its key, or when it is missing the nearest thing around it. */
  problem(path: ConfigPath, message: string, at: "value" | "key" = "value"): void {
    const found = nodeAt(this.#document, path);
    if (found.isComplete && this.#incomplete.has(found.value)) return;
    const flag = found.trail
      .map((node) => this.#flags.get(node))
      .find((text) => text !== undefined);
    const isWhole = found.isComplete && at === "value" && hasText(found.value);
    const node = isWhole || found.key === undefined ? found.value : found.key;
    if (flag === undefined) this.#add(offsetOf(node), keyText(path), message);
    else this.problems.push(unplaced(flag, keyText(path), message));
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

  /** Whether the value at `path` came from a flag. */
  isOverridden(path: ConfigPath): boolean {
    return nodeAt(this.#document, path).trail.some((node) => this.#flags.has(node));
  }

  #add(offset: number | undefined, key: string, message: string): void {
    const place = this.#lines.linePos(offset ?? 0);
    const line = place.line === 0 ? 1 : place.line;
    const column = place.line === 0 ? 1 : place.col;
    this.problems.push({ file: this.file, line, column, key, message });
  }

  /** False when the text cannot be made sense of; a key that stands twice can be reported with everything else. */
  #collectSyntax(text: string): boolean {
    const lines = new Set<number>();
    let isReadable = true;
    for (const error of [...this.#document.errors, ...this.#document.warnings]) {
      if (error.code !== "DUPLICATE_KEY") isReadable = false;
      // One mistake often upsets the rest of its line: the first message says it.
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

  /** Replaces `${NAME}` in every text, keys too; `$${NAME}` stands for itself. */
  #substitute(env: Environment): void {
    visit(this.#document, {
      Alias: (_, alias) => {
        if (alias.resolve(this.#document) === undefined) {
          this.#add(offsetOf(alias), "", `*${alias.source} names an anchor that does not exist`);
        }
      },
      Scalar: (_, scalar, ancestors) => {
        if (typeof scalar.value === "string" && scalar.value.includes("${")) {
          this.#substituteIn(scalar, env, ancestors);
        }
        if (typeof scalar.value === "number" && isRounded(scalar)) {
          this.#add(
            offsetOf(scalar),
            "",
            "has more digits than a number holds, put it into quotes",
          );
        }
      },
    });
  }

  #substituteIn(scalar: Scalar, env: Environment, ancestors: readonly unknown[]): void {
    const missing: string[] = [];
    const text = String(scalar.value).replace(
      /(\$?)\$\{([^}]*)\}/g,
      (whole, escape: string, name: string) => {
        if (escape !== "") return whole.slice(1);
        const value = /^[A-Za-z_]\w*$/.test(name) ? env[name] : undefined;
        if (value === undefined) missing.push(name);
        return value ?? "";
      },
    );
    if (missing.length > 0) this.#incomplete.add(scalar);
    for (const name of missing) {
      const message = `the environment variable ${name} is not set`;
      const flag = [...ancestors, scalar].map((node) => this.#flags.get(node)).find(Boolean);
      if (flag === undefined) this.#add(offsetOf(scalar), "", message);
      else this.problems.push(unplaced(flag, "", message));
    }
    scalar.value =
      scalar.type === "PLAIN" && missing.length === 0 ? plainScalar(text, scalar) : text;
  }

  #plainValue(): unknown {
    try {
      return this.#document.toJS();
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
      // An alias without anchor is reported already; what is left is a bomb of aliases.
      if (this.problems.length === 0) this.#add(0, "", "repeats its anchors too often");
      return undefined;
    }
  }
}

function unplaced(flag: string, key: string, message: string): Problem {
  return { file: flag, line: undefined, column: undefined, key, message };
}

function offsetOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

/** An empty value has no text to point at. */
function hasText(node: unknown): boolean {
  return (
    isNode(node) &&
    (node.range === undefined || node.range === null || node.range[1] > node.range[0])
  );
}

/** The value of an unquoted text after its variables are in: `${PORT}` may become a number. */
function plainScalar(text: string, scalar: Scalar): unknown {
  const node = parseScalarOrFlow(text);
  if (!isScalar(node) || node.source !== text) return text;
  if (typeof node.value === "number") scalar.source = text;
  return typeof node.value === "number" || typeof node.value === "boolean" ? node.value : text;
}

/** Undefined when the text is not YAML. */
function parseScalarOrFlow(text: string): ParsedNode | null | undefined {
  const document = parseDocument(text, parseOptions);
  return document.errors.length + document.warnings.length > 0 ? undefined : document.contents;
}

/** A decimal that the double nearest to it does not name any more. */
function isRounded(scalar: Scalar): boolean {
  const written = parseFixed(scalar.source ?? "");
  if (written === undefined) return /^[+-]?[\d.]{18,}$/.test(scalar.source ?? "");
  return written !== parseFixed(plainNumber(Number(scalar.value)));
}

function syntaxMessage(error: YAMLError, text: string): readonly [key: string, message: string] {
  const at = error.pos[0];
  if (error.code === "DUPLICATE_KEY") {
    const key = /^["']?([^\s:"']+)/.exec(text.slice(at))?.[1] ?? "";
    return [key, "stands twice in the same map, keep one"];
  }
  if (text[at] === "{" && text[at - 1] === "$") {
    return ["", 'inside { } or [ ] a variable must stand in quotes: "${NAME}"'];
  }
  if (error.code === "TAB_AS_INDENT") return ["", "a tab in the indentation, use spaces"];
  const message = error.message.replace(/\s+/g, " ").trim();
  return ["", `is not YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`];
}
