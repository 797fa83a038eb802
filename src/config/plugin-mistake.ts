import { existsSync, readFileSync } from "node:fs";
import module from "node:module";
import path from "node:path";
import { framesOf, placeOfFrames } from "./stack-frames.ts";
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
    case "ERR_INVALID_MODULE_SPECIFIER":
    case "ERR_PACKAGE_IMPORT_NOT_DEFINED":
      return missingImport(error, shown);
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

function missingImport(error: Error, shown: string): string {
  const specifier: unknown = Reflect.get(error, "specifier");
  const [, from] = /imported from (.+)$/.exec(error.message) ?? [];
  const [, module] = /^Cannot find module '(.+)' imported from /.exec(error.message) ?? [];
  const importer = from === undefined ? shown : showPath(from);
  if (module !== undefined) {
    return `${importer} imports ${showPath(module)}, which does not exist; an import must include the file's extension (./name.ts)`;
  }
  if (typeof specifier !== "string") return `${shown}: ${lowerFirst(oneLine(error.message))}`;
  const [name] = packageForm.exec(specifier) ?? [];
  const [first = ""] = specifier.split("/");
  const isLocal =
    from !== undefined &&
    (existsSync(path.join(path.dirname(from), first)) || isAlias(specifier, first, from));
  if (name === undefined || isLocal) {
    return `${importer} imports ${specifier}, which is no package: paths and aliases of a tsconfig.json are not read; write the file's relative path with its extension (./name.ts)`;
  }
  return `${importer} imports the package ${name}, which is not installed; run: npm install ${name}`;
}

/** A name that a package can have, at the beginning of a specifier. */
const packageForm = /^(?:@[a-z\d][\w.-]*\/)?[a-z\d][\w.-]*(?=\/|$)/;

/**
 * Whether a tsconfig.json of the importer's folder or of one above it has a path such as `@lib/*` for the specifier, or the specifier's
 * first part lies beside that file, where its `baseUrl` may be.
 */
function isAlias(specifier: string, first: string, from: string): boolean {
  for (let at = path.dirname(from); at !== path.dirname(at); at = path.dirname(at)) {
    const text = readSource(path.join(at, "tsconfig.json"));
    if (text === undefined) continue;
    const [, paths = ""] = /"paths"\s*:\s*\{([^}]*)\}/.exec(text) ?? [];
    const keys = [...paths.matchAll(/"([^"*]+)\*?"\s*:/g)].map(([, key = ""]) => key);
    if (keys.some((key) => specifier.startsWith(key)) || existsSync(path.join(at, first))) {
      return true;
    }
  }
  return false;
}

function syntaxMistake(error: SyntaxError, message: string, shown: string): string {
  const lacking = /The requested module '(.+)' does not provide an export named '([^']+)'/.exec(
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
  const [, file, line] = /^((?:file:\/\/)?\/.+):(\d+)\r?\n/.exec(stack) ?? [];
  const place = file === undefined ? placeOfFrames(framesOf(error)) : `${showPath(file)}:${line}`;
  return place?.includes("/node_modules/") === true ? undefined : place;
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
