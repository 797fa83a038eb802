import { ambientBans } from "./ambient.ts";
import { libraries } from "./libraries.ts";
import { rooms, strategyFilesMayImport, type Room } from "./rooms.ts";
import { importedPath, roomOf, type SourceFile } from "./source-file.ts";
import { lineAt, type ScannedImport } from "./scan-source.ts";

/** Each check gives one sentence per violation, beginning with `file:line:`. */
export type Check = (files: readonly SourceFile[]) => string[];

const roomByName = new Map(rooms.map((room) => [room.name, room]));
const isStrategy = (file: SourceFile) => file.path.startsWith("strategies/");

function isDeterministic(file: SourceFile): boolean {
  if (isStrategy(file)) return true;
  return roomByName.get(roomOf(file.path) ?? "")?.core === true;
}

export const checkRooms: Check = (files) =>
  eachImport(files, (file, { specifier, typeOnly }) => {
    const target = importedPath(file, specifier);
    if (target === undefined) return undefined;
    const to = roomOf(target);
    if (isStrategy(file)) {
      if (to !== undefined && strategyFilesMayImport.rooms.includes(to)) return undefined;
      return `strategies import "touchline" only, like a user's would, not ${target}`;
    }
    const from = roomOf(file.path) ?? "";
    const room = roomByName.get(from);
    if (room === undefined)
      return `src/${from} is not a room: add it to test/architecture/rooms.ts`;
    if (to === undefined) return `src imports nothing outside src, not ${target}`;
    if (to === from || allowedBy(room).includes(to)) return undefined;
    if (room.types?.includes(to) === true) {
      return typeOnly ? undefined : `${from} may import only types of ${to}: write \`import type\``;
    }
    return `${from} may not import ${to}, only: ${allowedBy(room).join(", ") || "nothing"}`;
  });

function allowedBy(room: Room): readonly string[] {
  if (room.imports !== "all") return room.imports;
  return rooms.slice(0, rooms.indexOf(room)).map(({ name }) => name);
}

export const checkLibraries: Check = (files) =>
  eachImport(files, (file, { specifier }) => {
    if (specifier.startsWith(".")) return undefined;
    if (isStrategy(file)) {
      if (strategyFilesMayImport.packages.includes(specifier)) return undefined;
      return `strategies import "touchline" only, not ${specifier}`;
    }
    const name = libraryOf(specifier);
    const places = libraries[name] ?? (name.startsWith("node:") ? libraries["node:*"] : undefined);
    if (places === undefined) return `${name} is not in test/architecture/libraries.ts`;
    if (places === "everywhere") return undefined;
    if (places === "outside the core") {
      return isDeterministic(file) ? `${name} may not be imported in the core` : undefined;
    }
    if (places.includes(roomOf(file.path) ?? "")) return undefined;
    return `${name} belongs to ${places.join(", ")}: take a port, or edit test/architecture/libraries.ts`;
  });

function libraryOf(specifier: string): string {
  if (specifier.startsWith("node:")) return specifier.split("/", 1)[0] ?? specifier;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

export const checkAmbient: Check = (files) =>
  files
    .filter(isDeterministic)
    .flatMap((file) =>
      ambientBans.flatMap(({ name, pattern, instead }) =>
        matches(file, file.code, pattern, `no ${name} here: ${instead}`),
      ),
    );

export const checkCycles: Check = (files) => {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const state = new Map<string, "open" | "done">();
  const trail: string[] = [];
  const cycles: string[] = [];
  const visit = (file: SourceFile): void => {
    state.set(file.path, "open");
    trail.push(file.path);
    for (const { specifier, line } of file.imports) {
      const target = byPath.get(importedPath(file, specifier) ?? "");
      if (target === undefined) continue;
      const seen = state.get(target.path);
      if (seen === undefined) visit(target);
      if (seen === "open") {
        const loop = [...trail.slice(trail.indexOf(target.path)), target.path];
        cycles.push(`${file.path}:${line}: import cycle: ${loop.join(" → ")}`);
      }
    }
    trail.pop();
    state.set(file.path, "done");
  };
  for (const file of files) if (!state.has(file.path)) visit(file);
  return cycles;
};

export const checkNames: Check = (files) =>
  files.flatMap(({ path }) => {
    const name = path.slice(path.lastIndexOf("/") + 1).replace(/(\.(test|prop|d))*\.tsx?$/, "");
    if (/^(.*-)?(utils?|helpers?|types|manager|misc|common)$/.test(name)) {
      return [`${path}:1: name a file after its main export, not ${name}`];
    }
    if (!/^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name)) return [`${path}:1: file names are kebab-case`];
    return [];
  });

export const checkEscapes: Check = (files) =>
  files.flatMap((file) => [
    ...matches(
      file,
      file.code,
      /(?<=[:<,|&=(]\s*|\bas\s+|\bsatisfies\s+|\bextends\s+)any\b(?!\s*[:(.?])/g,
      "no `any`: use `unknown` and narrow it",
    ),
    ...matches(
      file,
      file.code,
      /(?<=[\w$)\]])!(?!=)/g,
      "no `!` assertion: check the value, or assert() it",
    ),
    ...matches(
      file,
      file.code,
      /\bas (?:never|unknown as)\b/g,
      "no cast through `never` or `unknown`: state the type",
    ),
    ...matches(
      file,
      file.comments,
      /@ts-(?:ignore|nocheck)\b/g,
      "no @ts-ignore: repair the types, or in a test use @ts-expect-error",
    ),
  ]);

function eachImport(
  files: readonly SourceFile[],
  problemOf: (file: SourceFile, imported: ScannedImport) => string | undefined,
): string[] {
  return files.flatMap((file) =>
    file.imports.flatMap((imported) => {
      const problem = problemOf(file, imported);
      return problem === undefined ? [] : [`${file.path}:${imported.line}: ${problem}`];
    }),
  );
}

function matches(file: SourceFile, text: string, pattern: RegExp, problem: string): string[] {
  return Array.from(
    text.matchAll(pattern),
    ({ index }) => `${file.path}:${lineAt(text, index)}: ${problem}`,
  );
}
