import { partsOf } from "../domain/market-roles.ts";
import path from "node:path";
import { withMarketIds } from "../domain/market-of-ticker.ts";
import { TouchlineError } from "../base/error.ts";
import { builtInStrategies, loadPlugin } from "../config/load-plugin.ts";
import { validate } from "../config/issue.ts";
import { loadBotConfig } from "../config/load-bot-config.ts";
import { type PluginPlace, pluginPlace } from "../config/plugin-path.ts";
import { ConfigError } from "../config/problem.ts";
import { type ConfigOptions, readConfig } from "../config/read-config.ts";
import type { Command } from "../domain/command.ts";
import type { RecordedStrategy, RunHeader } from "../journal/entry.ts";
import type { VerifyTools } from "../journal/verify.ts";
import type { KernelConfig, StrategyBinding } from "../kernel/config.ts";
import type { Crypto } from "../ports/crypto.ts";
import { kernelConfig } from "../runtime/kernel-config.ts";
import { verifyToolsOf } from "../runtime/verify-tools.ts";
import { CommandSigner } from "../spec/sign-command.ts";
import { usageError } from "./exit-code.ts";
import type { PluginTrust } from "./journal-run.ts";

/** What `journal verify` needs to re-run a session: the plugins as they are on disk now, and the signature library. */
export async function verifyTools(
  header: RunHeader,
  crypto: Crypto,
  trust: PluginTrust,
): Promise<VerifyTools> {
  return verifyToolsOf(header, crypto, await recordedStrategies(header, trust));
}

/** The strategies of a recorded run, as they are on disk now. Throws TouchlineError `PLUGIN_UNTRUSTED`, `PLUGIN_MISSING` or `PLUGIN_CHANGED`. */
export async function recordedStrategies(
  header: RunHeader,
  trust: PluginTrust,
): Promise<readonly StrategyBinding[]> {
  const strategies: StrategyBinding[] = [];
  for (const recorded of header.strategies) strategies.push(await bindingOf(recorded, trust));
  return strategies;
}

/** The plugin to load for a recorded strategy: a built-in, that of the strategy of this name in the user's YAML, or what the journal names. */
function trustedPlugin(
  { name, plugin }: RecordedStrategy,
  { config, trust }: PluginTrust,
): PluginPlace {
  const recorded = { plugin, configFile: path.resolve("-") };
  if (builtInStrategies().includes(plugin)) return recorded;
  const own = config === undefined ? undefined : pluginIn(config, name);
  if (own !== undefined) return own;
  if (trust) return recorded;
  throw new TouchlineError(
    "PLUGIN_UNTRUSTED",
    `Strategy ${name}: the journal names the plugin ${plugin}, and a re-run would run its code.`,
    {
      hint: "Give the bot's YAML, which names it: --config FILE. Or --trust, if the journal is yours.",
    },
  );
}

/** Undefined when the YAML has no such strategy. */
function pluginIn(config: string, strategy: string): PluginPlace | undefined {
  const source = readConfig(config);
  if (source.value === undefined) throw new ConfigError(source.problems);
  source.mergeDefaults();
  const list = source.at(["strategies"]);
  const all: readonly unknown[] = Array.isArray(list) ? list : [];
  const index = all.findIndex((each) => Reflect.get(Object(each), "name") === strategy);
  const named = source.at(["strategies", index, "plugin"]);
  return typeof named === "string" ? pluginPlace(source, index, named) : undefined;
}

async function bindingOf(recorded: RecordedStrategy, trust: PluginTrust): Promise<StrategyBinding> {
  const { name, marketId, otherMarkets, seed, sources, budget } = recorded;
  const place = trustedPlugin(recorded, trust);
  const loaded = await loadPlugin(place);
  if (!loaded.ok) {
    throw new TouchlineError(
      "PLUGIN_MISSING",
      `Strategy ${name}: ${place.plugin} ${loaded.error}.`,
      {
        hint: "Give the configuration of the run: --config FILE.",
      },
    );
  }
  const params = validate(loaded.value.params, recorded.params);
  if (!params.ok) {
    const [issue] = params.issues;
    throw new TouchlineError(
      "PLUGIN_CHANGED",
      `Strategy ${name}: its plugin no longer accepts the recorded parameters: ${issue?.path.join(".")} ${issue?.message}.`,
      { hint: "Check out the version of the run, which journal ls shows." },
    );
  }
  return {
    name,
    definition: loaded.value,
    params: params.value,
    marketId,
    otherMarkets,
    seed,
    sources,
    budget,
  };
}

/**
 * The kernel's configuration of a recorded run with the strategies, limits and settings of another YAML file. Throws ConfigError, or a
 * usage error for a market that the run did not trade.
 */
export async function kernelConfigWith(
  header: RunHeader,
  file: string,
  options: ConfigOptions,
): Promise<KernelConfig> {
  const settings = withMarketIds(await loadBotConfig(file, options), header.markets);
  for (const { strategy: name, marketId } of partsOf(settings.strategies)) {
    if (header.markets.some((market) => market.marketId === marketId)) continue;
    throw usageError(
      `Strategy ${name} is in market ${marketId}, which the recorded run did not trade.`,
    );
  }
  const { owner, rate } = header.kernel;
  const changed = kernelConfig(settings, "run", {
    owner,
    markets: header.markets,
    spent: rate.spent ?? 0,
  });
  const { strategies, sources, risk, ladder, limitsToDerive, timing } = changed;
  return {
    ...header.kernel,
    markets: header.markets,
    strategies,
    ...(sources === undefined ? {} : { sources }),
    risk,
    ladder,
    limitsToDerive,
    rate: changed.rate,
    timing,
    useModify: changed.useModify,
  };
}

/** Returns a function that signs a recorded command again; undefined for runs signed by another key. */
export async function resigner(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
  crypto: Crypto,
  header: RunHeader,
): Promise<(header: RunHeader, command: Command) => string | undefined> {
  const { privateKeyFromEnv } = await import("../platform/keys.ts");
  const signer = crypto.signer(privateKeyFromEnv(name, env));
  if (signer.address !== header.signer) {
    throw new TouchlineError(
      "KEY_INVALID",
      `${name} holds the key of ${signer.address}, but the session was signed by ${header.signer}.`,
    );
  }
  const commandSigner = new CommandSigner({
    owner: header.kernel.owner,
    chainId: header.chainId,
    crypto,
    signer,
  });
  // A renewed session has several signers; this key belongs to one of them.
  return ({ signer: recorded }, command) =>
    recorded === signer.address ? commandSigner.sign(command).bytesHex : undefined;
}
