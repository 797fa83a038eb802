import path from "node:path";
import { inspector } from "../../debugger.ts";
import { exposures } from "../../exposed-files.ts";
import { ageOfNode } from "../../node-age.ts";
import type { Check, Checkup, Finding } from "../checkup.ts";

/** Reports which Node runs and from where, and what other users of this machine could read. */
export const host: Check = {
  name: "host",
  title: "this machine",
  needs: [],
  async run({ config, ports }: Checkup) {
    const { version, execPath, platform, arch } = process;
    const message = `Node ${version} (${platform}-${arch}) from ${execPath}`;
    const details = { node: version, execPath };
    const age = ageOfNode(version, ports.clock.nowMs());
    const node: Finding =
      age === undefined
        ? { status: "ok", message, hint: isFromNpm(execPath) ? FROM_NPM : undefined, details }
        : { status: "warning", message: `${message}: ${age}`, hint: UPDATE, details };
    return [node, ...exposed(config), ...debuggers()];
  },
};

/** The build that a clone installs: decision 001. */
function isFromNpm(execPath: string): boolean {
  return execPath.split(path.sep).includes("node_modules");
}

const FROM_NPM =
  "This build comes from an npm package that is meant for development; production runs an official one.";
const UPDATE = "Install the newest Node of a supported version from nodejs.org.";

function exposed(config: Checkup["config"]): readonly Finding[] {
  return exposures(config).map((message) => ({ status: "warning", message }));
}

function debuggers(): readonly Finding[] {
  const url = inspector();
  if (url === undefined) return [];
  return [
    {
      status: "problem",
      message: `a debugger listens at ${url}: every user of this machine can read the key`,
      hint: "Start Node without --inspect, also in NODE_OPTIONS.",
    },
  ];
}
