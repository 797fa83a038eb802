import { spawnSync } from "node:child_process";
import path from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutants } from "./mutants.ts";
import { MutatedSources } from "./mutated-sources.ts";

const usage = `npm run mutants -- [--worlds N] [--from S] [--jobs N] [--only WORD,WORD] [--faults A,B]

Puts deliberate bugs into a copy of the sources, one at a time, and runs the simulator until a world breaks an invariant. Half of the
worlds quote, a quarter uses stop orders and legs, and a quarter takes.

  --worlds N   most worlds for each bug (200)
  --from S     first seed (1)
  --jobs N     worlds at the same time (all cores)
  --only WORDS only bugs with one of these words in their name or file, separated by commas; --list prints the names
  --faults A,B only worlds with these faults, instead of those that the seed picks
`;

/** A bug may also make the simulator hang. */
const WORLD_LIMIT_MS = 60_000;

interface Verdict {
  /** Worlds until one failed; undefined when the bug survived. */
  readonly worlds: number | undefined;
  readonly noticedBy: string;
}

/** The worlds, until one fails. */
function simulated(folder: string, args: readonly string[], count: number, from: number): Verdict {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [
      ...process.execArgv,
      path.join(folder, "src", "sim", "main.ts"),
      "--mixed",
      "--until-failure",
      "--no-shrink",
      "--seeds",
      String(count),
      "--from",
      String(from),
      ...args,
    ],
    {
      encoding: "utf8",
      timeout: count * WORLD_LIMIT_MS,
      maxBuffer: 1 << 26,
      // Each bug changes one file: the others need no compilation again.
      env: { ...process.env, NODE_COMPILE_CACHE: path.join(folder, "compile-cache") },
    },
  );
  if (status === 0) return { worlds: undefined, noticedBy: "" };
  const seed = /^seed (\d+):/m.exec(stdout)?.[1];
  const invariant = /^ {2}[\d.]+ s: ([\w-]+)/m.exec(stdout)?.[1];
  const error = /^\w*Error.*/m.exec(stderr)?.[0] ?? `exit ${status}`;
  return {
    worlds: seed === undefined ? 1 : Number(seed) - from + 1,
    noticedBy: invariant ?? error,
  };
}

function chosen(only: string): readonly Mutant[] {
  const words = only.split(",").map((word) => word.trim());
  return mutants.filter(({ name, file }) => words.some((word) => `${name} ${file}`.includes(word)));
}

function main(): number {
  const { values } = parseArgs({
    options: {
      worlds: { type: "string", default: "200" },
      from: { type: "string", default: "1" },
      only: { type: "string", default: "" },
      jobs: { type: "string" },
      faults: { type: "string" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const worlds = Number(values.worlds);
  const from = Number(values.from);
  if (values.help || !(worlds > 1) || !Number.isSafeInteger(from)) {
    process.stderr.write(usage);
    return values.help ? 0 : 2;
  }
  if (values.list) {
    for (const { name } of chosen(values.only)) process.stdout.write(`${name}\n`);
    return 0;
  }
  const more = [
    ...(values.jobs === undefined ? [] : ["--jobs", values.jobs]),
    ...(values.faults === undefined ? [] : ["--faults", values.faults]),
  ];
  const sources = new MutatedSources();
  const survivors: string[] = [];
  try {
    process.stdout.write("| bug | file | worlds | noticed by |\n|---|---|---|---|\n");
    for (const mutant of chosen(values.only)) {
      const takeOut = sources.put(mutant);
      const flag = mutant.isAlone === true ? "--faults" : "--with";
      const args = mutant.faults === undefined ? more : [...more, flag, mutant.faults];
      const { worlds: count, noticedBy } = simulated(sources.folder, args, worlds, from);
      takeOut();
      if (count === undefined) survivors.push(mutant.name);
      const file = `\`${mutant.file.replace("src/", "")}\``;
      process.stdout.write(
        `| ${mutant.name} | ${file} | ${count ?? "survived"} | ${noticedBy} |\n`,
      );
    }
  } finally {
    sources.remove();
  }
  process.stdout.write(
    `\n${survivors.length} of ${chosen(values.only).length} bugs survived ${worlds} worlds.\n`,
  );
  return survivors.length === 0 ? 0 : 1;
}

process.exitCode = main();
