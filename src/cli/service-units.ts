import path from "node:path";
import { counted } from "../base/counted.ts";
import type { ServedBot } from "./deployed-files.ts";
import type { NewFile } from "./scaffold.ts";

export interface UnitOptions {
  /** Node and the program's own file. */
  readonly program: readonly string[];
  readonly user: string;
  /** Folder of the unit files. */
  readonly out: string;
}

/** Units of systemd for a bot, and for its guard. `systemd-analyze verify` accepts them. */
export function serviceUnits(
  bot: ServedBot,
  { program, user, out }: UnitOptions,
): readonly NewFile[] {
  const { name, file, stopSec, guarded, writes } = bot;
  const unit = `touchline-${name}`;
  const guard = `${unit}-guard.service`;
  const call = (command: string): string => [...program, command, file].map(quoted).join(" ");
  const shared = [
    `User=${user}`,
    `WorkingDirectory=${escaped(path.dirname(file))}`,
    ...hardening,
    ...writes.map((folder) => `ReadWritePaths=${quoted(folder)}`),
  ];
  const botUnit = [
    "[Unit]",
    `Description=Touchline bot ${name}`,
    `Wants=network-online.target${guarded ? ` ${guard}` : ""}`,
    `After=network-online.target${guarded ? ` ${guard}` : ""}`,
    // At most ten starts an hour: what ends a bot again and again needs a person.
    "StartLimitIntervalSec=1h",
    "StartLimitBurst=10",
    "",
    "[Service]",
    "# The key, for example TOUCHLINE_KEY=0x…; the file is readable by root only.",
    `EnvironmentFile=-/etc/touchline/${name}.env`,
    `ExecStart=${call("run")}`,
    `# Cancels the bot's orders and waits until they have ended, ${counted(stopSec, "second")} at most; then SIGTERM does the same.`,
    `ExecStop=-${call("stop")}`,
    "KillMode=mixed",
    `TimeoutStopSec=${stopSec}`,
    "Restart=on-failure",
    "RestartSec=5",
    ...shared,
    ...install,
  ];
  const guardUnit = [
    "[Unit]",
    `Description=Guard of the Touchline bot ${name}`,
    "StartLimitIntervalSec=0",
    "",
    "[Service]",
    "# It has no key. It ends once it has canceled, and is wanted again.",
    `ExecStart=${call("guard")}`,
    "KillMode=mixed",
    "Restart=always",
    "RestartSec=1",
    "# When memory runs out, the bot goes first.",
    "OOMScoreAdjust=-900",
    ...shared,
    ...install,
  ];
  const written = (fileName: string, lines: readonly string[]): NewFile => ({
    path: path.join(out, fileName),
    text: `${lines.join("\n")}\n`,
  });
  return [written(`${unit}.service`, botUnit), ...(guarded ? [written(guard, guardUnit)] : [])];
}

const hardening = [
  "UMask=0077",
  "PrivateTmp=yes",
  "PrivateDevices=yes",
  "NoNewPrivileges=yes",
  "CapabilityBoundingSet=",
  "ProtectSystem=strict",
  "ProtectHome=read-only",
  "ProtectKernelTunables=yes",
  "ProtectKernelModules=yes",
  "ProtectKernelLogs=yes",
  "ProtectControlGroups=yes",
  "ProtectClock=yes",
  "ProtectHostname=yes",
  "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK",
  "RestrictNamespaces=yes",
  "RestrictRealtime=yes",
  "RestrictSUIDSGID=yes",
  "LockPersonality=yes",
  "SystemCallArchitectures=native",
];
const install = ["", "[Install]", "WantedBy=multi-user.target"];

/** Quotes one argument of a command line, or one path of a list, for systemd. */
function quoted(word: string): string {
  return /^[\w./@:=+-]+$/.test(word)
    ? word
    : `"${escaped(word).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("$", "$$$$")}"`;
}

/** Without specifiers. */
function escaped(text: string): string {
  return text.replaceAll("%", "%%");
}
