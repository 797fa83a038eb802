import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { packageRoot } from "../config/plugin-hooks.ts";
import { TouchlineError } from "../base/error.ts";
import { usageError } from "./exit-code.ts";

/** A file that is to be made. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** The name that the templates bear; a template is a working strategy, tested as it is. */
const TEMPLATE_NAME = "my-strategy";
const strategyName = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;

/** A file of `templates/`, with the strategy's own name. */
export function template(file: string, name: string): string {
  const text = readFileSync(new URL(`templates/${file}`, packageRoot), "utf8");
  return text.replaceAll(TEMPLATE_NAME, name);
}

/** A strategy and its test. */
export function strategyFiles(folder: string, name: string): readonly NewFile[] {
  return ["ts", "test.ts"].map((ending) => ({
    path: path.join(folder, `${name}.${ending}`),
    text: template(`${TEMPLATE_NAME}.${ending}`, name),
  }));
}

/** Throws a usage error unless `name` can be that of a file, a strategy and an entry of the YAML. */
export function checkStrategyName(name: string): string {
  if (strategyName.test(name) && name.length <= 64) return name;
  throw usageError(
    `${name} cannot name a strategy: small letters and digits, words joined by dashes.`,
    "For instance: touchline new strategy wide-spread",
  );
}

/** Writes all of them or, when one is there already, none. */
export function writeNew(files: readonly NewFile[]): void {
  const taken = files.filter((file) => existsSync(file.path)).map((file) => file.path);
  if (taken.length > 0) {
    throw new TouchlineError("FILE_EXISTS", `${taken.join(" and ")} is there already.`, {
      hint: "Nothing was written. Take another name or folder.",
    });
  }
  for (const file of files) {
    mkdirSync(path.dirname(file.path), { recursive: true });
    writeFileSync(file.path, file.text, { flag: "wx" });
  }
}

/** A path as it is typed: relative and with slashes. */
export function typedPath(file: string): string {
  const relative = path.relative("", file);
  return (relative === "" ? "." : relative).replaceAll(path.sep, "/");
}
