import { loadBotConfig, type BotConfig } from "../config/load-bot-config.ts";
import { keyWarnings } from "../config/key-warnings.ts";
import { limitWarnings } from "../config/limit-warnings.ts";
import { stopWarnings } from "../config/stop-time.ts";
import { keySource } from "../platform/key-source.ts";
import type { Log } from "../ports/log.ts";
import type { Invocation } from "./command.ts";
import { refuseDebugger } from "./debugger.ts";
import { usageError } from "./exit-code.ts";
import { exposures } from "./exposed-files.ts";
import { openLog } from "./log.ts";
import type { RunBotOptions } from "./run-bot.ts";

/** What `runBot` needs of a bot at its venue: the configuration and its key. Prints the warnings about both. */
export async function openLive(
  file: string,
  isDryRun: boolean,
  {
    overrides,
    env,
    terminal,
  }: Pick<Invocation<unknown, unknown>, "overrides" | "env" | "terminal">,
): Promise<{
  readonly config: BotConfig;
  readonly loaded: RunBotOptions["loaded"];
  readonly mode: RunBotOptions["mode"];
  readonly log: Log;
}> {
  const options = { overrides, env, needs: "key" } as const;
  const config = await loadBotConfig(file, options);
  refuseDebugger(env);
  for (const text of exposures(config)) terminal.warn(text);
  const mode = isDryRun ? "dry-run" : "run";
  const warnings = [keyWarnings(config, mode), stopWarnings(config), limitWarnings(config)];
  for (const warning of warnings.flat()) terminal.warn(warning);
  if (config.account === undefined) throw usageError("run needs an account.");
  const key =
    config.account.session === undefined
      ? await keySource(config.account.signer, env).open()
      : "session";
  return {
    config,
    loaded: { config, options },
    mode: { type: "live", key, isDryRun },
    log: openLog(config.log.level, env),
  };
}
