import { type Document, isMap, isScalar, isSeq, type ParsedNode } from "yaml";
import type { ConfigPath } from "./problem.ts";
import { keyText } from "./problem.ts";

/** A `--set` that cannot be applied. */
export class OverrideError extends Error {
  override readonly name = "OverrideError";
  readonly flag: string;
  readonly key: string;

  constructor(flag: string, key: string, message: string) {
    super(message);
    this.flag = flag;
    this.key = key;
  }
}

/**
 * Applies `path.to.key=value` to the document. Entries of a list are given by position (`strategies.0.params` or
 * `strategies[0].params`) or by `name` (`strategies.eth-maker.params`). The value is parsed as YAML.
 */
export function applyOverride(
  document: Document,
  override: string,
  parse: (text: string) => ParsedNode | null | undefined,
): { readonly node: unknown; readonly flag: string } {
  const at = override.indexOf("=");
  const written = (at < 0 ? override : override.slice(0, at)).trim();
  const flag = `--set ${written}`;
  const parts = written.replace(/\[(\d+)\]/g, ".$1").split(".");
  if (at < 0 || parts.some((part) => part === "")) {
    throw new OverrideError(flag, "", "is not of the form path.to.key=value");
  }
  const text = override.slice(at + 1);
  const node = parse(text);
  if (node === undefined) throw new OverrideError(flag, "", "its value is not valid YAML");
  const path = resolvePath(document, parts, flag);
  const created = node ?? document.createNode(text === "" ? "" : null);
  try {
    document.setIn(path, created);
  } catch {
    const key = keyText(path);
    throw new OverrideError(flag, key, "cannot be set: its parent is not a map of keys");
  }
  return { node: created, flag };
}

/** Resolves list entries by position or name. */
function resolvePath(document: Document, parts: readonly string[], flag: string): ConfigPath {
  let node: unknown = document.contents;
  const path: (string | number)[] = [];
  for (const part of parts) {
    if (isSeq(node)) {
      const index = /^\d+$/.test(part) ? Number(part) : indexOfName(node.items, part);
      const item: unknown = index === undefined ? undefined : node.items[index];
      if (index === undefined || item === undefined) {
        throw new OverrideError(flag, keyText(path), `has no entry ${part}`);
      }
      path.push(index);
      node = item;
    } else {
      path.push(part);
      node = isMap(node) ? node.get(part, true) : undefined;
      if (isScalar(node) && node.value === null) node = undefined;
    }
  }
  return path;
}

function indexOfName(items: readonly unknown[], name: string): number | undefined {
  const at = items.findIndex((item) => isMap(item) && item.get("name") === name);
  return at < 0 ? undefined : at;
}
