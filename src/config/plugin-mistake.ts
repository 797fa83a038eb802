import { readFileSync } from "node:fs";
import module from "node:module";
import path from "node:path";
import { showPath } from "./show-path.ts";

/** Describes an error of loading a plugin: file and line if known, the problem, and how to correct it. */
export function loadMistake(error: unknown, shown: string): string {
  if (!(error instanceof Error)) return `${shown} threw an error while loading: ${String(error)}`;
  const code: unknown = Reflect.get(error, "code");
  const message = oneLine(error.message);
  const place = placeOf(error) ?? shown;
  switch (code) {
    case "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX":
      return `${place}: ${unsupportedSyntax(message)}`;
    case "ERR_INVALID_TYPESCRIPT_SYNTAX":
      return `${place}: is not valid TypeScript: ${lowerFirst(message)}`;
    case "ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING":
      return `${shown} is published as TypeScript, which is not loaded from node_modules; publish built .js files, or name a .ts file outside of node_modules`;
    case "ERR_MODULE_NOT_FOUND":
      return missingImport(message, shown);
    case "ERR_PACKAGE_PATH_NOT_EXPORTED":
      return `${shown}: ${lowerFirst(message)}`;
    default:
      if (error instanceof SyntaxError) return syntaxMistake(error, message, shown);
      return `${place} threw an error while loading: ${message}`;
  }
}

function unsupportedSyntax(message: string): string {
  const what = /TypeScript (.+?) (?:is|are) not supported/.exec(message)?.[1] ?? "this syntax";
  const instead =
    what === "enum"
      ? 'write a union of texts ("a" | "b") or a constant object instead'
      : what === "parameter property"
        ? "declare the field in the class and assign it in the constructor"
        : "write it in plain JavaScript; types may only be erased";
  return `TypeScript's ${what} needs a compiler, but files are run without a build; ${instead}`;
}

function missingImport(message: string, shown: string): string {
  const [, kind, name = "", from = ""] =
    /Cannot find (\w+) '([^']+)' imported from (.+)$/.exec(message) ?? [];
  if (kind === "package") {
    return `${showPath(from)} imports the package ${name}, which is not installed; run: npm install ${name}`;
  }
  if (kind === "module") {
    return `${showPath(from)} imports ${showPath(name)}, which does not exist; an import must include the file's extension (./name.ts)`;
  }
  return `${shown}: ${lowerFirst(message)}`;
}

function syntaxMistake(error: SyntaxError, message: string, shown: string): string {
  const lacking = /The requested module '([^']+)' does not provide an export named '([^']+)'/.exec(
    message,
  );
  if (lacking !== null) {
    const [, from, name] = lacking;
    const place = placeOf(error) ?? shown;
    return name === "default"
      ? `${place}: ${from} has no default export`
      : `${place}: ${from} exports no value ${name}; if it is a type, write: import type { ${name} } from "${from}"`;
  }
  const file = fileOf(shown);
  const source = file === undefined ? undefined : readSource(file);
  if (file !== undefined && source !== undefined) {
    const decorated = /^[ \t]*@[A-Za-z_$]/m.exec(source);
    if (decorated !== null && message.includes("unexpected token")) {
      const line = source.slice(0, decorated.index).split("\n").length;
      return `${showPath(file)}:${line}: decorators need a compiler, but files are run without a build; call the function directly instead`;
    }
    const line = syntaxErrorLine(source);
    if (line !== undefined)
      return `${showPath(file)}:${line}: is not valid JavaScript: ${lowerFirst(message)}`;
  }
  return `${placeOf(error) ?? shown}: is not valid JavaScript: ${lowerFirst(message)}`;
}

/** Finds the line with Node's TypeScript parser, since Node reports none for JavaScript modules. */
function syntaxErrorLine(source: string): number | undefined {
  const emitWarning = process.emitWarning;
  // Suppresses the warning about an experimental function.
  process.emitWarning = () => undefined;
  try {
    module.stripTypeScriptTypes(source, { sourceUrl: "plugin" });
    return undefined;
  } catch (error) {
    const line = error instanceof Error ? /^plugin:(\d+)/.exec(error.stack ?? "")?.[1] : undefined;
    return line === undefined ? undefined : Number(line);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** `file:line` from an error's stack: the head of a syntax error, or the first frame of a thrown one. */
function placeOf(error: Error): string | undefined {
  const stack = error.stack ?? "";
  const head = /^(file:\/\/\S+|\/\S+):(\d+)\r?\n/.exec(stack);
  const frame = /^ {4}at .*?(file:\/\/[^\s)]+?):(\d+):\d+\)?$/m.exec(stack);
  const [, file, line] = head ?? frame ?? [];
  if (file === undefined || line === undefined || file.includes("/node_modules/")) return undefined;
  return `${showPath(file)}:${line}`;
}

function fileOf(shown: string): string | undefined {
  return /\.[cm]?[jt]s$/.test(shown) ? path.resolve(shown) : undefined;
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 300);
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
