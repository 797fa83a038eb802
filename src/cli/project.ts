import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { TouchlineError } from "../base/error.ts";
import { isClone, packageRoot } from "../config/plugin-hooks.ts";
import { fileURLToPath } from "node:url";
import { type NewFile, strategyFiles, template, writeNewFile } from "./scaffold.ts";
import { makeFolder } from "../platform/folder.ts";

/** Files in `templates/project` and their names in a project; npm does not pack a file named .gitignore. */
const projectFiles = [
  ["bot.yaml", "bot.yaml"],
  ["README.md", "README.md"],
  ["tsconfig.json", "tsconfig.json"],
  ["gitignore", ".gitignore"],
] as const;

type Json = Readonly<Record<string, unknown>>;

/** Creates a project. Existing files are kept; an existing package.json gets what it lacks. */
export function makeProject(
  folder: string,
  name: string,
): { readonly written: readonly string[]; readonly kept: readonly string[] } {
  const own = path.basename(folder);
  const files: readonly NewFile[] = [
    ...projectFiles.map(([from, to]) => ({
      path: path.join(folder, to),
      text: settled(from, template(`project/${from}`, name).replaceAll("my-project", own)),
    })),
    ...strategyFiles(path.join(folder, "strategies"), name),
  ];
  const manifest = path.join(folder, "package.json");
  const before = existsSync(manifest) ? readFileSync(manifest, "utf8") : undefined;
  const text = packageText(before, folder);
  makeFolder(path.join(folder, "strategies"));
  if (before === undefined) writeNewFile({ path: manifest, text });
  else if (text !== before) writeFileSync(manifest, text);
  const written = text === before ? [] : [manifest];
  const kept = text === before ? [manifest] : [];
  for (const file of files) {
    if (existsSync(file.path)) kept.push(file.path);
    else {
      writeNewFile(file);
      written.push(file.path);
    }
  }
  return { written, kept };
}

/** A template's text. In a clone, which has no built types, tsconfig.json reads those of the sources. */
function settled(file: string, text: string): string {
  if (file !== "tsconfig.json" || !isClone) return text;
  const settings = parsed(text);
  const compilerOptions = {
    ...objectIn(settings, "compilerOptions"),
    customConditions: ["touchline-source"],
  };
  return `${JSON.stringify({ ...settings, compilerOptions }, undefined, 2)}\n`;
}

/** The text of package.json, with everything that it already contains. */
function packageText(before: string | undefined, folder: string): string {
  const given = before === undefined ? newPackage(folder) : parsed(before);
  const scripts = objectIn(given, "scripts");
  // `npm init` writes a placeholder as test script.
  const isEmptyTest = textIn(scripts, "test").includes("no test specified");
  const { test: _, ...otherScripts } = scripts;
  const made = {
    ...given,
    // `npm init` writes commonjs, but strategies are modules.
    type: "module",
    scripts: {
      start: "touchline demo --config bot.yaml",
      test: "touchline test",
      ...(isEmptyTest ? otherScripts : scripts),
    },
    dependencies: { touchline: ownSpec(folder), ...objectIn(given, "dependencies") },
    devDependencies: { ...editorTools(), ...objectIn(given, "devDependencies") },
  };
  const isSame = before !== undefined && JSON.stringify(made) === JSON.stringify(given);
  return isSame ? before : `${JSON.stringify(made, undefined, 2)}\n`;
}

function newPackage(folder: string): Json {
  const name = path
    .basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return { name: name === "" ? "my-bot" : name, private: true };
}

function parsed(text: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new TouchlineError("PACKAGE_INVALID", "The existing package.json is not valid JSON.", {
      hint: "Nothing was written. Correct it, or choose another folder.",
      cause,
    });
  }
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function objectIn(value: Json, key: string): Json {
  const found = value[key];
  return typeof found === "object" && found !== null ? { ...found } : {};
}

/** The text of a field; empty when there is none. */
function textIn(value: Json, key: string): string {
  const found = value[key];
  return typeof found === "string" ? found : "";
}

const ownPackage = (): Json => parsed(readFileSync(new URL("package.json", packageRoot), "utf8"));

/** The project's dependency on Touchline: the clone or the installed package that created it, never a name to look up in a registry. */
function ownSpec(folder: string): string {
  const relative = path.relative(folder, fileURLToPath(packageRoot)).replaceAll(path.sep, "/");
  return `file:${relative === "" ? "." : relative}`;
}

/** Tools for `npx tsc` and editors, in the versions that Touchline itself uses. */
function editorTools(): Json {
  const made = objectIn(ownPackage(), "devDependencies");
  return Object.fromEntries(
    ["@types/node", "typescript"].flatMap((name) => {
      const version = textIn(made, name);
      return version === "" ? [] : [[name, `^${version}`]];
    }),
  );
}
