import { type VenueConfig, venueSchema, venueWithoutConfig } from "../venue/config.ts";
import { refuseOtherKind } from "./file-kind.ts";
import { filePath } from "./file-path.ts";
import { parseYaml, type YamlSource } from "./parse-yaml.ts";
import { ConfigError } from "./problem.ts";
import { type ConfigOptions, readConfig } from "./read-config.ts";

/** Reads and validates a paper venue's YAML; without a file, a venue with default settings. Throws ConfigError. */
export function loadVenueConfig(
  file: string | undefined,
  options: ConfigOptions = {},
): VenueConfig {
  const source =
    file === undefined
      ? parseYaml({
          file: "the venue without a configuration",
          text: JSON.stringify(venueWithoutConfig),
          env: {},
          overrides: options.overrides ?? [],
        })
      : readConfig(file, options);
  return venueConfigFrom(source);
}

/** `loadVenueConfig` for a source that was already read. */
export function venueConfigFrom(source: YamlSource): VenueConfig {
  refuseOtherKind(source, "venue");
  const config = source.value === undefined ? undefined : source.validate(venueSchema);
  if (config === undefined || source.problems.length > 0) throw new ConfigError(source.problems);
  const { flow, dataDir } = config;
  return {
    ...config,
    ...(dataDir === null ? {} : { dataDir: filePath(source, ["dataDir"], dataDir) }),
    ...(typeof flow === "object" && "replay" in flow
      ? { flow: { ...flow, replay: filePath(source, ["flow", "replay"], flow.replay) } }
      : {}),
  };
}
