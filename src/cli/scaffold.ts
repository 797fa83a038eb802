import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { packageRoot } from "../config/plugin-hooks.ts";
import { TouchlineError } from "../base/error.ts";
import { usageError } from "./exit-code.ts";
import { makeFolder } from "../platform/folder.ts";

/** A file to create. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

const OTHERS_READ = 0o644;

/** Strategy name in the templates; each template is a working, tested strategy. */
const TEMPLATE_NAME = "my-strategy";
const strategyName = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** A file of `templates/` with the strategy's name filled in. */
export function template(file: string, name: string): string {
  const text = readFileSync(new URL(`templates/${file}`, packageRoot), "utf8");
  return text.replaceAll(TEMPLATE_NAME, name);
}

/** What `new strategy --from` starts from: `plain`, or a small strategy of the kind that its name says. */
export const startingPoints = [
  "plain",
  "ping-pong",
  "bands",
  "dca",
  "rebalance",
  "triangle",
] as const;

/** The files of a strategy and its test. */
export function strategyFiles(
  folder: string,
  name: string,
  from: (typeof startingPoints)[number] = "plain",
): readonly NewFile[] {
  const strategy = from === "plain" ? TEMPLATE_NAME : from;
  const own = `${strategy}.test.ts`;
  const test = existsSync(new URL(`templates/${own}`, packageRoot)) ? own : "from.test.ts";
  return [
    { path: path.join(folder, `${name}.ts`), text: template(`${strategy}.ts`, name) },
    {
      path: path.join(folder, `${name}.test.ts`),
      text: template(test, name).replace(`./${strategy}.ts`, `./${name}.ts`),
    },
  ];
}

/** Throws a usage error unless `name` is valid for a file, a strategy and a YAML entry. */
export function checkStrategyName(name: string): string {
  if (strategyName.test(name) && name.length <= 64) return name;
  throw usageError(
    `${name} is not a valid strategy name: use lower-case letters and digits, with dashes between words.`,
    "For example: touchline new strategy wide-spread",
  );
}

/** Writes all files, or none if any exists. Throws `FILE_EXISTS`. */
export function writeNew(files: readonly NewFile[]): void {
  const taken = files.filter((file) => existsSync(file.path)).map((file) => file.path);
  if (taken.length > 0) {
    throw new TouchlineError(
      "FILE_EXISTS",
      `${taken.join(" and ")} already ${taken.length === 1 ? "exists" : "exist"}.`,
      {
        hint: "Nothing was written. Choose another name or folder.",
      },
    );
  }
  for (const file of files) {
    makeFolder(path.dirname(file.path));
    writeNewFile(file);
  }
}

/** Writes a file that does not exist. It may be code that runs with the bot's key, so only its owner may change it, whatever the umask. */
export function writeNewFile({ path: file, text }: NewFile): void {
  writeFileSync(file, text, { flag: "wx", mode: OTHERS_READ });
}

/** A relative path with slashes, as users type it. */
export function typedPath(file: string): string {
  const relative = path.relative("", file);
  return (relative === "" ? "." : relative).replaceAll(path.sep, "/");
}

/** How to start this program in the current folder: npx looks in a registry for a name that is not installed here. */
export function programCall(): string {
  return existsSync(path.join("node_modules", ".bin", "touchline"))
    ? "npx touchline"
    : `node ${typedPath(fileURLToPath(new URL("bin/touchline.js", packageRoot)))}`;
}
