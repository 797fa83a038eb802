import { describe, expect, test } from "vitest";
import { replaySetup } from "../../src/backtest/replay-setup.ts";
import { allBotKeys } from "../../src/config/bot-config.ts";
import { type Mode, modes } from "../../src/config/bot-key.ts";
import { keyWarnings } from "../../src/config/key-warnings.ts";
import { type BotConfig, botConfigFrom } from "../../src/config/load-bot-config.ts";
import { parseYaml } from "../../src/config/parse-yaml.ts";
import { unixMs } from "../../src/domain/time.ts";
import { Recording } from "../../src/recordings/recording.ts";
import { RecordingWriter } from "../../src/recordings/recording-writer.ts";
import { type KernelSettings, kernelConfig } from "../../src/runtime/kernel-config.ts";
import { liveSettings, signingSettings } from "../../src/runtime/live-settings.ts";
import { paperSettings } from "../../src/runtime/paper-settings.ts";
import { feeModel, withFees } from "../../src/simulated/fee-model.ts";
import { type LatencyModel, paperLatency } from "../../src/simulated/latency-model.ts";
import type { StrategyDefinition } from "../../src/strategy/contract.ts";
import { io } from "../recordings/shared-sets.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { testAddress, testMarket } from "../support/exchange.ts";

/** For each key of the YAML and each mode: setting the key changes the mode's settings exactly where the schema says so. */

const owner = testAddress(1);
const keystore = "{ type: keystore, path: ./key.json, password: { env: PASSWORD } }";
/** Account settings in which a sample key is set. */
const accounts = {
  env: `{ owner: "${owner}", signer: { type: env, name: KEY } }`,
  keystore: `{ owner: "${owner}", signer: ${keystore} }`,
  session: `{ owner: "${owner}", signer: { type: session, key: { type: env, name: KEY }, renew: { owner: { type: env, name: OWNER }, keys: ./keys, password: { env: PASSWORD } } } }`,
  sessionKeystore: `{ owner: "${owner}", signer: { type: session, key: ${keystore} } }`,
  ownerKeystore: `{ owner: "${owner}", signer: { type: session, key: { type: env, name: KEY }, renew: { owner: ${keystore}, keys: ./keys, password: { env: PASSWORD } } } }`,
  ownerCommand: `{ owner: "${owner}", signer: { type: session, key: { type: env, name: KEY }, renew: { owner: { type: command, command: [sign] }, keys: ./keys, password: { env: PASSWORD } } } }`,
} as const;

/** Each replaces the source `a` of the base configuration. */
function sourceSamples(values: Readonly<Record<string, string>>): Record<string, Sample> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `sources.*.${name}`,
      { at: "sources.a", value },
    ]),
  );
}

const night = '{ from: "22:00", to: "07:00", zone: Europe/Berlin }';

/** Each is the only channel. */
function alertSamples(values: Readonly<Record<string, string>>): Record<string, Sample> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `alerts[].${name}`,
      { at: "alerts", value: `[${value}]` },
    ]),
  );
}

interface Sample {
  readonly account?: keyof typeof accounts;
  /** The path that is overridden; default: the key itself. */
  readonly at?: string;
  readonly value: string;
}

/** For every key of the schema, a value that differs from the base configuration's. A new key needs an entry. */
const samples: Readonly<Record<string, string | Sample>> = {
  "venue.rest": "http://127.0.0.1:1",
  "venue.ws": "ws://127.0.0.1:1/ws",
  "venue.allowInsecure": "true",
  "venue.chainId": "7",
  "venue.l1ChainId": { account: "session", value: "7" },
  "venue.nonceWindow": "7s",
  "venue.withdrawal.byte": { at: "venue.withdrawal", value: "{ byte: 9 }" },
  "venue.withdrawal.fields.l1owner": {
    at: "venue.withdrawal",
    value: "{ byte: 9, fields: { l1owner: a } }",
  },
  "venue.withdrawal.fields.to": { at: "venue.withdrawal", value: "{ byte: 9, fields: { to: a } }" },
  "venue.withdrawal.fields.token": {
    at: "venue.withdrawal",
    value: "{ byte: 9, fields: { token: a } }",
  },
  "venue.withdrawal.fields.value": {
    at: "venue.withdrawal",
    value: "{ byte: 9, fields: { value: a } }",
  },
  "account.owner": `"0x${"2".repeat(40)}"`,
  "account.shared": "true",
  "account.signer.type": { at: "account.signer", value: keystore },
  "account.signer.name": "OTHER",
  "account.signer.path": { account: "keystore", value: "./other.json" },
  "account.signer.password.env": { account: "keystore", value: "OTHER" },
  "account.signer.password.file": {
    account: "keystore",
    at: "account.signer.password",
    value: "{ file: ./secret }",
  },
  "account.signer.key.type": { account: "session", at: "account.signer.key", value: keystore },
  "account.signer.key.name": { account: "session", value: "OTHER" },
  "account.signer.key.path": { account: "sessionKeystore", value: "./other.json" },
  "account.signer.key.password.env": { account: "sessionKeystore", value: "OTHER" },
  "account.signer.key.password.file": {
    account: "sessionKeystore",
    at: "account.signer.key.password",
    value: "{ file: ./secret }",
  },
  "account.signer.renew.owner.type": {
    account: "session",
    at: "account.signer.renew.owner",
    value: keystore,
  },
  "account.signer.renew.owner.name": { account: "session", value: "OTHER" },
  "account.signer.renew.owner.path": { account: "ownerKeystore", value: "./other.json" },
  "account.signer.renew.owner.password.env": { account: "ownerKeystore", value: "OTHER" },
  "account.signer.renew.owner.password.file": {
    account: "ownerKeystore",
    at: "account.signer.renew.owner.password",
    value: "{ file: ./secret }",
  },
  "account.signer.renew.owner.command": { account: "ownerCommand", value: "[other]" },
  "account.signer.renew.owner.env": { account: "ownerCommand", value: "[LEDGER]" },
  "account.signer.renew.owner.timeout": { account: "ownerCommand", value: "7s" },
  "account.signer.renew.before": { account: "session", value: "7h" },
  "account.signer.renew.lifetime": { account: "session", value: "9d" },
  "account.signer.renew.keys": { account: "session", value: "./other" },
  "account.signer.renew.password.env": { account: "session", value: "OTHER" },
  "account.signer.renew.password.file": {
    account: "session",
    at: "account.signer.renew.password",
    value: "{ file: ./secret }",
  },
  "account.signer.stopBefore": { account: "session", value: "7m" },
  "rateLimit.perSecond": "7",
  "rateLimit.burst": "7",
  "rateLimit.concurrency": "7",
  "risk.staleBook": "7s",
  "risk.priceCollar": "7%",
  "risk.maxOrderSize": "7",
  "risk.maxOrderNotional": "7",
  "risk.maxPosition": "7",
  "risk.maxNet": "7",
  "risk.maxOpenOrders": "7",
  "risk.triggers": '{ dayLoss: { halt: "7" } }',
  "risk.widenBy": { at: "risk", value: '{ widenBy: 7, triggers: { dayLoss: { halt: "7" } } }' },
  "risk.markets": '{ "1_2": { maxPosition: "7" } }',
  "dashboard.host": { at: "dashboard", value: "{ host: 127.0.0.2 }" },
  "dashboard.port": { at: "dashboard", value: "{ port: 7 }" },
  "dashboard.allowedHosts": { at: "dashboard", value: "{ allowedHosts: [bots.example] }" },
  "dashboard.insecureControl": { at: "dashboard", value: "{ insecureControl: true }" },
  "journal.path": "./other",
  "journal.durability": "power",
  "journal.keep.days": "7",
  "journal.keep.size": "1GB",
  "control.socket": { at: "control", value: "{ socket: ./other.sock }" },
  ...alertSamples({
    type: "{ type: discord, url: { env: URL } }",
    "url.env": "{ type: slack, url: { env: OTHER } }",
    "url.file": "{ type: slack, url: { file: ./url } }",
    name: "{ type: slack, url: { env: URL }, name: ops }",
    events: "{ type: slack, url: { env: URL }, events: [risk] }",
    minSeverity: "{ type: slack, url: { env: URL }, minSeverity: critical }",
    fillsOver: '{ type: slack, url: { env: URL }, fillsOver: "7" }',
    "quietHours.from": `{ type: slack, url: { env: URL }, quietHours: ${night} }`,
    "quietHours.to": `{ type: slack, url: { env: URL }, quietHours: ${night} }`,
    "quietHours.zone": `{ type: slack, url: { env: URL }, quietHours: ${night} }`,
    group: "{ type: slack, url: { env: URL }, group: 7s }",
    perMinute: "{ type: slack, url: { env: URL }, perMinute: 7 }",
    "token.env": "{ type: telegram, token: { env: TOKEN }, chat: 7 }",
    "token.file": "{ type: telegram, token: { file: ./token }, chat: 7 }",
    chat: "{ type: telegram, token: { env: TOKEN }, chat: 7 }",
    allow: "{ type: telegram, token: { env: TOKEN }, chat: 7, allow: [7] }",
    api: '{ type: telegram, token: { env: TOKEN }, chat: 7, api: "http://127.0.0.1:7" }',
  }),
  "watchdog.maxBlocked": "7s",
  "watchdog.slowCall": "7s",
  "guard.silentAfter": "7s",
  "guard.refresh": "7s",
  "guard.required": "true",
  "log.level": "error",
  "execution.useModify": "true",
  balances: '{ "1": "7" }',
  "fees.maker": "0.07%",
  "fees.taker": "0.07%",
  priceGrid: "native",
  reportingCurrency: '"1"',
  "latency.entry": "7ms",
  "latency.response": "37ms",
  "latency.feed": "7ms",
  "models.fees.maker": "-0.07%",
  "models.fees.taker": "0.07%",
  "models.fees.tiers[].volume": {
    at: "models.fees.tiers",
    value: '[{ volume: "0", maker: 0.03%, taker: 0.03% }]',
  },
  "models.fees.tiers[].maker": {
    at: "models.fees.tiers",
    value: '[{ volume: "0", maker: 0.03%, taker: 0.03% }]',
  },
  "models.fees.tiers[].taker": {
    at: "models.fees.tiers",
    value: '[{ volume: "0", maker: 0.03%, taker: 0.03% }]',
  },
  "models.latency.entry": "uniform(7ms, 7ms)",
  "models.latency.response": "uniform(37ms, 37ms)",
  "models.latency.feed": "uniform(7ms, 7ms)",
  "models.latency.seed": "7",
  "models.fills.queue": "uniform",
  "models.fills.exponent": "7",
  "models.fills.partialFills": "false",
  "models.candles.volumeShare": "7%",
  "models.candles.halfSpread": "0.07%",
  "defaults.plugin": {
    at: "defaults",
    value: "{ plugin: pure-market-making, params: { levels: 3 } }",
  },
  "defaults.params": { at: "defaults", value: "{ params: { levels: 3 } }" },
  "defaults.obligation.spread": {
    at: "defaults.obligation",
    value: '{ spread: 0.1%, size: "1" }',
  },
  "defaults.obligation.size": { at: "defaults.obligation", value: '{ spread: 0.1%, size: "2" }' },
  "defaults.onStop": "flatten",
  "defaults.risk.triggers": { value: '{ dayLoss: { halt: "7" } }' },
  "defaults.budget.base": { at: "defaults", value: '{ budget: { base: "7" } }' },
  "defaults.budget.quote": { at: "defaults", value: '{ budget: { quote: "7" } }' },
  "strategies[].budget.base": { at: "strategies.0.budget", value: '{ base: "7" }' },
  "strategies[].budget.quote": { at: "strategies.0.budget", value: "{ quote: 50% }" },
  "strategies[].name": { at: "strategies.0.name", value: "other" },
  "strategies[].plugin": {
    at: "strategies.0",
    value:
      '{ name: maker, plugin: bracket-entry, market: "1_2", params: { side: buy, distance: 0.2%, size: "1", takeProfit: 0.2%, stopLoss: 0.4% } }',
  },
  "strategies[].market": { at: "strategies.0.market", value: "2_1" },
  "strategies[].markets": {
    at: "strategies.0",
    value:
      '{ name: maker, plugin: pure-market-making, markets: { main: "2_1" }, params: { bidSpread: 0.2%, askSpread: 0.2%, size: "1" } }',
  },
  "strategies[].params": { at: "strategies.0.params.size", value: '"7"' },
  "strategies[].seed": { at: "strategies.0.seed", value: "7" },
  "strategies[].sources": { at: "strategies.0.sources", value: "[]" },
  ...sourceSamples({
    type: "{ type: static, price: 7 }",
    url: '{ type: json, url: "https://b.test", price: p }',
    every: '{ type: json, url: "https://a.test", price: p, every: 7s }',
    send: '{ type: json, url: "https://a.test", price: p, send: hello }',
    price: '{ type: json, url: "https://a.test", price: q }',
    bid: '{ type: json, url: "https://a.test", bid: b, ask: p }',
    ask: '{ type: json, url: "https://a.test", bid: p, ask: a }',
    time: '{ type: json, url: "https://a.test", price: p, time: t }',
    symbol: "{ type: binance, symbol: ETHUSDT }",
    exchange: "{ type: ccxt, exchange: upbit, symbol: ETH/KRW }",
    path: "{ type: recording, path: ./other }",
    source: "{ type: recording, path: ./other, source: b }",
    market: '{ type: market, market: "1_2" }',
    formula: "{ type: formula, formula: peg * 2 }",
    maxAge: '{ type: json, url: "https://a.test", price: p, maxAge: 7s }',
    whenOld: '{ type: json, url: "https://a.test", price: p, whenOld: widen }',
    "jump.share": '{ type: json, url: "https://a.test", price: p, jump: { share: 7% } }',
    "jump.confirm":
      '{ type: json, url: "https://a.test", price: p, jump: { share: 7%, confirm: peg } }',
  }),
  "strategies[].obligation.spread": {
    at: "strategies.0.obligation",
    value: '{ spread: 0.1%, size: "1" }',
  },
  "strategies[].obligation.size": {
    at: "strategies.0.obligation",
    value: '{ spread: 0.1%, size: "2" }',
  },
  "strategies[].onStop": { at: "strategies.0.onStop", value: "flatten" },
  "strategies[].risk.triggers": {
    at: "strategies.0.risk.triggers",
    value: '{ dayLoss: { halt: "7" } }',
  },
};

const periodKeys = allBotKeys.filter(({ path: key }) => /^(timing|streams)[.]/.test(key));
const allSamples: Readonly<Record<string, string | Sample>> = {
  ...samples,
  ...Object.fromEntries(periodKeys.map(({ path: key }) => [key, "7777ms"])),
};

/** A recording without events. Its rules fit the venue's grid, so that `priceGrid: native` differs from `auto`. */
const folder = `${temporaryFolder()}/recording`;
const writer = new RecordingWriter(io, folder);
writer.close();
writer.writeManifest({
  format: "touchline-recording",
  version: 1,
  markets: [
    {
      marketId: "ZIL_USDT",
      symbol: "ZILUSDT",
      grid: "native",
      rules: { tick: "0.00001", lot: "0.1", source: "stated", fitsVenueGrid: true },
    },
  ],
  source: "made by hand",
});
const recording = new Recording(io, folder);

async function configOf(account: keyof typeof accounts, overrides: readonly string[]) {
  const text = `
venue: { rest: "http://127.0.0.1:8717", ws: "ws://127.0.0.1:8717/ws", chainId: 1001 }
account: ${accounts[account]}
fees: { maker: 0.01%, taker: 0.01% }
sources:
  peg: { type: static, price: 1 }
  a: { type: json, url: "https://a.test", price: p }
strategies:
  - name: maker
    plugin: pure-market-making
    market: "1_2"
    params: { bidSpread: 0.1%, askSpread: 0.1%, size: "0.5", refresh: 2s, tolerance: 0.02% }
`;
  return botConfigFrom(parseYaml({ file: "bot.yaml", text, env: {}, overrides }), {
    importModule: (specifier) => import(specifier),
  });
}

/** Everything that a mode derives from a configuration, as text. */
function derivedText(config: BotConfig, mode: Mode): string {
  if (mode === "replay") {
    const [strategy] = config.strategies;
    const names = new Map([[strategy?.marketId ?? "", "ZIL_USDT"]]);
    const { warnings: _, models, ...setup } = replaySetup(config, recording, names);
    // A recording of candles takes them in place of the fills.
    const { candles } = config;
    return text({ ...setup, candles, models: models.settings, latency: delaysOf(models.latency) });
  }
  if (mode === "paper") {
    const settings = paperSettings(config);
    return text({
      ...withoutKernel(settings),
      markets: withFees([testMarket()], feeModel(settings.models.fees)),
      latency: delaysOf(paperLatency(settings.models.latency)),
      kernel: kernelOf(settings, mode),
      page: config.dashboard,
      allowInsecure: config.venue.allowInsecure,
      log: config.log,
    });
  }
  const dryRun = mode === "dry-run";
  const { configText: _, ...settings } = liveSettings(config, { codeVersion: "", dryRun });
  return text({
    ...withoutKernel(settings),
    kernel: kernelOf(settings, mode),
    signing: signingSettings(config, dryRun),
    page: config.dashboard,
    allowInsecure: config.venue.allowInsecure,
    control: config.control,
    watchdog: dryRun ? undefined : config.watchdog,
    guard: dryRun ? undefined : config.guard.silentAfter,
    alerts: dryRun ? undefined : config.alerts,
    log: config.log,
  });
}

/** Leaves out settings that reach the mode only through the kernel's configuration. */
function withoutKernel<Settings extends KernelSettings>(settings: Settings) {
  const { rateLimit: _, risk: __, timing: ___, execution: ____, guard: _____, ...rest } = settings;
  return rest;
}

function kernelOf(settings: KernelSettings, mode: Mode) {
  return kernelConfig(settings, mode, {
    owner: testAddress(1),
    markets: [testMarket()],
    randomBytes: (count) => new Uint8Array(count),
  });
}

function delaysOf(latency: LatencyModel): readonly number[] {
  const nowMs = unixMs(0);
  return [latency.entryMs(nowMs), latency.responseMs(nowMs), latency.feedMs(nowMs)];
}

function text(derived: unknown): string {
  return JSON.stringify(derived, (key, value: unknown) => {
    // The schema of its parameters is long, and follows from its name.
    if (key === "definition") return (value as StrategyDefinition).name;
    if (typeof value === "bigint") return String(value);
    return value instanceof Map ? [...value] : value;
  });
}

/** What each mode derives from the configuration without overrides, made once for all keys. */
const plain = new Map<keyof typeof accounts, Promise<(mode: Mode) => string | undefined>>();

async function plainTexts(account: keyof typeof accounts) {
  const config = await configOf(account, []);
  const texts = new Map(modes.map((mode) => [mode, derivedText(config, mode)]));
  return (mode: Mode) => texts.get(mode);
}

test("every key of the schema has a sample", () => {
  expect(Object.keys(allSamples).toSorted()).toEqual(
    allBotKeys.map(({ path: key }) => key).toSorted(),
  );
});

describe("a key has an effect exactly in the modes that the schema names", () => {
  test.each(allBotKeys.map((key) => [key.path, key] as const))("%s", async (name, key) => {
    const sample = allSamples[name] ?? "";
    const {
      account = "env",
      at = name,
      value,
    } = typeof sample === "string" ? { value: sample } : sample;
    const before = plain.get(account) ?? plainTexts(account);
    plain.set(account, before);
    const textOf = await before;
    const after = await configOf(account, [`${at}=${value}`]);
    const acting = modes.filter((mode) => textOf(mode) !== derivedText(after, mode));
    expect(acting).toEqual(key.modes);
    expect(after.written.map(({ path: written }) => written)).toContain(name);
  });
});

describe("warnings", () => {
  test("name a key that has no effect in a mode, unless no effect is expected there", async () => {
    const config = await configOf("env", [
      "journal.durability=power",
      "timing.audit=1m",
      "streams.ping=3s",
      "streams.pong=3s",
      "dashboard.port=0",
    ]);
    expect(keyWarnings(config, "paper")).toEqual([
      "these keys have no effect in `paper`: journal.durability, timing.audit.",
    ]);
    expect(keyWarnings(config, "replay")).toEqual([
      "these keys have no effect in `replay`: journal.durability, timing.audit, streams.",
    ]);
    const simulated = await configOf("env", ["priceGrid=native"]);
    expect(keyWarnings(simulated)).toEqual([
      "these keys have no effect in `run` and `run --dry-run` and `paper`: priceGrid.",
    ]);
  });

  test("do not name fees and balances under `run`, since one file serves replays, paper and live runs", async () => {
    const config = await configOf("env", ['balances={ "1": "7" }', "fees.maker=0.02%"]);
    expect(config.written.map(({ path: written }) => written)).toContain("fees.maker");
    expect(keyWarnings(config)).toEqual([]);
  });
});
