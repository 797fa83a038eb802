import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { lineAt, scanSource } from "./scan-source.ts";
import type { Exception, RetiredWord } from "./words.ts";

export interface TextFile {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

const root = path.resolve(import.meta.dirname, "../..");
const endings = /\.(?:tsx?|jsx?|mjs|md|ya?ml|json|html|css|sh)$/;

/** Files and folders whose words count. */
const places = `src strategies templates web test bench docs config schema scripts bin tools
  README.md CONTRIBUTING.md CHANGELOG.md`.split(/\s+/);

/** Every text file of the project, sorted. */
export function readTextFiles(): TextFile[] {
  return places
    .flatMap((place) =>
      endings.test(place)
        ? [place]
        : readdirSync(path.join(root, place), { recursive: true }).map(
            (file) => `${place}/${String(file).replaceAll("\\", "/")}`,
          ),
    )
    .filter((file) => endings.test(file) && !file.includes("/node_modules/"))
    .sort()
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), "utf8") }));
}

/** One sentence for each use of a word, beginning with `file:line:`. */
export function checkWords(
  files: readonly TextFile[],
  words: readonly RetiredWord[],
  exceptions: readonly Exception[] = [],
): string[] {
  return files.flatMap((file) => {
    const here = exceptions.filter(({ where }) => where.test(file.path));
    const searched = words.filter(
      ({ word }) => !here.some((each) => each.words?.includes(word) !== false),
    );
    return [...inName(file, searched), ...inText(file, searched)];
  });
}

function inName({ path: name }: TextFile, words: readonly RetiredWord[]): string[] {
  return words
    .filter(({ pattern, within, where }) => {
      if (within === "code" || where?.test(name) === false) return false;
      return name.search(pattern) >= 0;
    })
    .map(({ word, instead }) => `${name}: the file's name has ${word}: ${instead}`);
}

function inText(file: TextFile, words: readonly RetiredWord[]): string[] {
  const isCode = /\.tsx?$/.test(file.path);
  let code: string | undefined;
  return words.flatMap(({ word, pattern, instead, within, where }) => {
    if (where?.test(file.path) === false || file.text.search(pattern) < 0) return [];
    if (within === "code" && !isCode) return [];
    const searched = within === "code" ? (code ??= scanSource(file.text).code) : file.text;
    return Array.from(
      searched.matchAll(pattern),
      ({ 0: found, index }) =>
        `${file.path}:${lineAt(searched, index)}: ${found} (${word}): ${instead}`,
    );
  });
}

const exportedType =
  /^export (?:declare )?(?:abstract )?(?:class|interface|type|enum) ([A-Za-z_$][\w$]*)/gm;

/** Names of types that several files export: a search for one finds two. */
export function checkTypeNames(files: readonly TextFile[]): string[] {
  const places = new Map<string, Set<string>>();
  for (const { path: file, text } of files) {
    for (const [, name = ""] of text.matchAll(exportedType)) {
      const known = places.get(name) ?? new Set();
      places.set(name, known.add(file));
    }
  }
  return [...places]
    .filter(([, known]) => known.size > 1)
    .map(([name, known]) => `${name} is exported by ${[...known].sort().join(" and ")}`)
    .sort();
}
