import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { TouchlineError } from "../base/error.ts";
import { isClone, packageRoot } from "../config/plugin-hooks.ts";
import { fileURLToPath } from "node:url";
import { type NewFile, strategyFiles, template } from "./scaffold.ts";

/** Files of a project as they lie in `templates/project`, and their names in a project: npm never packs a .gitignore. */
const projectFiles = [
  ["bot.yaml", "bot.yaml"],
  ["README.md", "README.md"],
  ["tsconfig.json", "tsconfig.json"],
  ["gitignore", ".gitignore"],
] as const;

type Json = Readonly<Record<string, unknown>>;

/** Makes a project; what is there already stays, a package.json gets what it lacks. */
export function makeProject(
  folder: string,
  name: string,
): { readonly written: readonly string[]; readonly kept: readonly string[] } {
  const own = path.basename(folder);
  const files: readonly NewFile[] = [
    ...projectFiles.map(([from, to]) => ({
      path: path.join(folder, to),
      text: template(`project/${from}`, name).replaceAll("my-project", own),
    })),
    ...strategyFiles(path.join(folder, "strategies"), name),
  ];
  const manifest = path.join(folder, "package.json");
  const before = existsSync(manifest) ? readFileSync(manifest, "utf8") : undefined;
  const text = packageText(before, folder);
  mkdirSync(path.join(folder, "strategies"), { recursive: true });
  if (text !== before) writeFileSync(manifest, text);
  const written = text === before ? [] : [manifest];
  const kept = text === before ? [manifest] : [];
  for (const file of files) {
    if (existsSync(file.path)) kept.push(file.path);
    else {
      writeFileSync(file.path, file.text, { flag: "wx" });
      written.push(file.path);
    }
  }
  return { written, kept };
}

/** A project's package.json, with everything that stands in it already. */
function packageText(before: string | undefined, folder: string): string {
  const given = before === undefined ? newPackage(folder) : parsed(before);
  const scripts = objectIn(given, "scripts");
  // What `npm init` writes is no test.
  const isEmptyTest = textIn(scripts, "test").includes("no test specified");
  const { test: _, ...otherScripts } = scripts;
  const made = {
    ...given,
    // `npm init` writes commonjs; strategies are modules.
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
    throw new TouchlineError("PACKAGE_INVALID", "The package.json that is there is no JSON.", {
      hint: "Nothing was written. Mend it, or take another folder.",
      cause,
    });
  }
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function objectIn(value: Json, key: string): Json {
  const found = value[key];
  return typeof found === "object" && found !== null ? { ...found } : {};
}

/** Empty when there is none. */
function textIn(value: Json, key: string): string {
  const found = value[key];
  return typeof found === "string" ? found : "";
}

const ownPackage = (): Json => parsed(readFileSync(new URL("package.json", packageRoot), "utf8"));

/** How the project depends on us: on the same version, or on the clone that made it. */
function ownSpec(folder: string): string {
  if (!isClone) return `^${textIn(ownPackage(), "version")}`;
  const relative = path.relative(folder, fileURLToPath(packageRoot)).replaceAll(path.sep, "/");
  return `file:${relative === "" ? "." : relative}`;
}

/** For `npx tsc` and editors: the versions that we are made with. */
function editorTools(): Json {
  const made = objectIn(ownPackage(), "devDependencies");
  return Object.fromEntries(
    ["@types/node", "typescript"].flatMap((name) => {
      const version = textIn(made, name);
      return version === "" ? [] : [[name, `^${version}`]];
    }),
  );
}
