import { type ConfigOptions } from "../config/read-config.ts";
import { loadBotConfig } from "../config/load-bot-config.ts";
import { AccessTokens } from "../dashboard/access-tokens.ts";

/** The access tokens of the bot of a configuration. */
export async function openTokens(
  file: string,
  options: Pick<ConfigOptions, "overrides" | "env">,
): Promise<AccessTokens> {
  const { journal } = await loadBotConfig(file, options);
  return new AccessTokens(journal.path);
}
