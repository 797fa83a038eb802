import path from "node:path";
import { loadBotConfig } from "../config/load-bot-config.ts";
import { expandHome } from "../platform/user-folder.ts";
import { ApiClient, tokenIn } from "./api-client.ts";
import { usageError } from "./exit-code.ts";

/** A running bot that a command was given, by its YAML file or the address of its page. */
export interface ApiBot {
  /** Its file's name or its host, with as much of the path or the address as tells it from the others. */
  readonly name: string;
  readonly url: string;
  readonly api: ApiClient;
}

export interface ApiBotOptions {
  readonly tokenFiles: readonly string[];
  readonly isAgent: boolean;
  readonly overrides: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The bots, each once. A token is sent to its own bot alone: TOUCHLINE_TOKEN is that of a single one. */
export async function apiBots(
  places: readonly string[],
  { tokenFiles, isAgent, overrides, env }: ApiBotOptions,
): Promise<readonly ApiBot[]> {
  const bots = new Map(places.map((place) => [wholeName(place), place]));
  const [only = ""] = bots.keys();
  const isSingle = bots.size === 1;
  const files = new Map(
    tokenFiles.map((written) => {
      const place = places.find((one) => written.startsWith(`${one}=`));
      if (place !== undefined) return [wholeName(place), written.slice(place.length + 1)];
      if (isSingle) return [only, written];
      throw usageError(
        `--token-file ${written} does not say whose token it is.`,
        `With several bots write BOT=FILE, such as --token-file ${places[0]}=one.token`,
      );
    }),
  );
  const open = async ([whole, place]: readonly [string, string]): Promise<ApiBot> => {
    const others = [...bots.keys()].filter((other) => other !== whole).flatMap(namesOf);
    const file = files.get(whole);
    const own = isSingle ? env["TOUCHLINE_TOKEN"] : undefined;
    const url = isAddress(place)
      ? whole
      : ApiClient.originOf(await loadBotConfig(place, { overrides, env, needs: "nothing" }));
    return {
      name: namesOf(whole).find((name) => !others.includes(name)) ?? whole,
      url,
      api: new ApiClient(url, file === undefined ? own : tokenIn(expandHome(file)), isAgent),
    };
  };
  return Promise.all([...bots].map(open));
}

function isAddress(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

function wholeName(place: string): string {
  return isAddress(place) ? new URL(place).origin : path.resolve(place);
}

/** From the shortest to the longest. */
function namesOf(whole: string): readonly string[] {
  if (isAddress(whole)) return [new URL(whole).host];
  const parts = whole.split(path.sep);
  return [path.parse(whole).name, ...parts.map((_, at) => parts.slice(-1 - at).join("/"))];
}
