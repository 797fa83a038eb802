import type { VenueConfig } from "../venue/config.ts";
import type { YamlSource } from "./parse-yaml.ts";
import { ConfigError } from "./problem.ts";

const kinds = {
  bot: { name: "a bot", command: "`touchline run FILE`" },
  sweep: { name: "a sweep", command: "`touchline sweep FILE`" },
  venue: { name: "a paper venue", command: "`touchline venue FILE`" },
} as const;

export type FileKind = keyof typeof kinds;

/** Written out, so that a bot's config does not load the paper venue. */
const venueKeys: Readonly<Record<keyof VenueConfig, true>> = {
  chainId: true,
  l1ChainId: true,
  tokens: true,
  markets: true,
  accounts: true,
  faucet: true,
  flow: true,
  nativeToken: true,
  withdrawals: true,
  rateLimit: true,
  allowOrigin: true,
  allowHosts: true,
  faults: true,
  dataDir: true,
};

/** What the YAML configures, by its keys; undefined when they do not tell. */
export function fileKind(source: YamlSource): FileKind | undefined {
  const hasOne = (...keys: readonly string[]): boolean =>
    keys.some((key) => source.at([key]) !== undefined);
  const isOfBot = hasOne("strategies", "venue");
  const isOfSweep = hasOne("parameters", "recordings");
  if (isOfBot) return isOfSweep ? undefined : "bot";
  if (isOfSweep) return "sweep";
  return hasOne(...Object.keys(venueKeys)) ? "venue" : undefined;
}

/** Throws ConfigError, with the command for the file, when the YAML configures something else. */
export function refuseOtherKind(source: YamlSource, expected: FileKind): void {
  const kind = fileKind(source);
  if (kind === undefined || kind === expected) return;
  const { name, command } = kinds[kind];
  source.problem(
    [],
    `is the configuration of ${name} (${command}), not of ${kinds[expected].name}`,
  );
  throw new ConfigError(source.problems);
}
