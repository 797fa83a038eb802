import path from "node:path";
import { yamlText } from "../config/yaml-text.ts";
import { TouchlineError } from "../base/error.ts";
import type { ServedBot } from "./deployed-files.ts";
import type { NewFile } from "./scaffold.ts";

/** Where a container has the bot's files, what it writes, and its keystores. */
const BOT = "/bot";
const DATA = "/data";

const ignored = "*\n!touchline-*.tgz\n";

/** Builds an image from the packed package, which `npm pack` writes beside the file. */
export function dockerFiles(out: string): readonly NewFile[] {
  const text = [
    "FROM node:24-bookworm-slim",
    "WORKDIR /app",
    "COPY touchline-*.tgz ./touchline.tgz",
    "RUN npm install --omit=dev --ignore-scripts --no-audit --no-fund --no-save ./touchline.tgz \\",
    "  && rm touchline.tgz && npm cache clean --force \\",
    `  && install -d -o node -g node -m 0700 ${DATA}`,
    "USER node",
    `WORKDIR ${BOT}`,
    `VOLUME ${DATA}`,
    "# The first signal cancels the bot's orders.",
    "STOPSIGNAL SIGTERM",
    'ENTRYPOINT ["node", "/app/node_modules/touchline/bin/touchline.js"]',
    "",
  ];
  return [
    { path: path.join(out, "Dockerfile"), text: text.join("\n") },
    { path: path.join(out, ".dockerignore"), text: ignored },
  ];
}

/**
 * A compose file with a service for each bot and each guard. `host`: the name under which browsers reach this machine. Throws
 * TouchlineError `NO_HOST` for a page that has none.
 */
export function composeFiles(
  bots: readonly ServedBot[],
  { out, host }: { readonly out: string; readonly host: string | undefined },
): readonly NewFile[] {
  const services: Record<string, unknown> = {};
  const volumes: Record<string, unknown> = {};
  for (const bot of bots) {
    const { name, guarded, port, allowedHosts } = bot;
    if (port !== undefined && allowedHosts.length === 0 && host === undefined) {
      throw new TouchlineError("NO_HOST", `The page of ${name} has no name for browsers.`, {
        hint: "Give the name of this machine: --host NAME, or dashboard.allowedHosts.",
      });
    }
    services[name] = botService(bot, out, host);
    if (guarded) services[`${name}-guard`] = guardService(bot, out);
    volumes[`${name}-data`] = {};
  }
  const text = yamlText({ name: "touchline", services, volumes });
  return [...dockerFiles(out), { path: path.join(out, "compose.yaml"), text }];
}

function shared({ name, file, keystore, stopSec }: ServedBot, out: string, hasKey: boolean) {
  const from = (place: string): string => {
    const relative = path.relative(out, place);
    return relative.startsWith(".") ? relative : `./${relative}`;
  };
  return {
    build: ".",
    image: "touchline",
    // Reaps processes and passes signals on.
    init: true,
    restart: "unless-stopped",
    stop_grace_period: `${stopSec}s`,
    read_only: true,
    tmpfs: ["/tmp"],
    cap_drop: ["ALL"],
    security_opt: ["no-new-privileges:true"],
    volumes: [
      `${from(path.dirname(file))}:${BOT}:ro`,
      ...(hasKey && keystore !== undefined ? [`${from(keystore.path)}:/keystore.json:ro`] : []),
      `${name}-data:${DATA}`,
    ],
  };
}

function command(word: string, { file }: ServedBot, more: readonly string[] = []) {
  const settings = [`journal.path=${DATA}/journal`, `control.socket=${DATA}/control.sock`, ...more];
  const set = settings.flatMap((setting) => ["--set", setting]);
  // In a compose file a dollar sign begins a variable.
  return [word, path.posix.join(BOT, path.basename(file)), ...set].map((part) =>
    part.replaceAll("$", "$$$$"),
  );
}

function botService(bot: ServedBot, out: string, host: string | undefined) {
  const { name, port, keystore, renews, allowedHosts } = bot;
  const key = keystore === undefined ? [] : [`${keystore.key}=/keystore.json`];
  const sessions = renews ? [`account.signer.renew.keys=${DATA}/sessions`] : [];
  const hosts = JSON.stringify([
    ...new Set([...allowedHosts, ...(host === undefined ? [] : [host])]),
  ]);
  const page =
    port === undefined ? [] : ["dashboard.host=0.0.0.0", `dashboard.allowedHosts=${hosts}`];
  const check = `fetch("http://127.0.0.1:${port}/healthz").then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))`;
  const served = {
    ports: [`${port}:${port}`],
    healthcheck: {
      test: ["CMD", "node", "-e", check],
      interval: "30s",
      timeout: "10s",
      start_period: "60s",
    },
  };
  return {
    ...shared(bot, out, true),
    command: command("run", bot, [...key, ...sessions, ...page]),
    env_file: [{ path: `${name}.env`, required: false }],
    ...(port === undefined ? {} : served),
  };
}

/** Has no key. */
function guardService(bot: ServedBot, out: string) {
  return { ...shared(bot, out, false), command: command("guard", bot) };
}
