import { counted } from "../../base/counted.ts";
import { defineCliCommand } from "../command.ts";
import type { Finding, FindingStatus } from "../doctor/checkup.ts";
import { exitCode } from "../exit-code.ts";
import { asPath, argument } from "../option.ts";
import type { Terminal } from "../terminal.ts";

export default defineCliCommand({
  summary: "check a bot's venue connection, account and settings, and suggest fixes",
  details:
    "Checks the Node that runs, files that other users can read, clock, markets, streams, price sources, signer and session, balances, rate limits. Sends a signed cancel of a random order id to check " +
    "chain id and signature, and up to 40 reads to check rate limits; nothing else. Exits with 0 on warnings, 1 on problems.",
  args: { config: asPath(argument("<config>", "YAML file of the bot")) },
  examples: ["doctor config/pure-market-making.yaml", "doctor my-bot.yaml --json"],
  async run({ args, overrides, terminal, env }) {
    const { readConfig } = await import("../../config/read-config.ts");
    const { botConfigFrom } = await import("../../config/load-bot-config.ts");
    const { VenueClient } = await import("../../gateway/venue-client.ts");
    const { loadCrypto } = await import("../../platform/crypto.ts");
    const { nodePorts } = await import("../../runtime/node-ports.ts");
    const { openLog } = await import("../log.ts");
    const { runChecks } = await import("../doctor/run-checks.ts");

    const source = readConfig(args.config, { overrides, env });
    const needs = source.at(["account"]) === undefined ? "venue" : "key";
    const config = await botConfigFrom(source, { env, needs });
    const { rest } = config.venue;
    const ports = nodePorts({ crypto: await loadCrypto(), log: openLog("error", env) });
    const client = new VenueClient({ http: ports.http, rest });
    const results = {
      offsetMs: 0,
      markets: [],
      owner: config.account?.owner,
      signer: undefined,
      isBusy: false,
    };
    terminal.print(`${terminal.bold(config.file)} on ${rest}`);
    try {
      const findings = await runChecks(
        { config, env, ports, client, results },
        (check, finding) => {
          const { status, message, hint, details } = finding;
          terminal.emit("doctor", {
            check: check.name,
            status,
            message,
            hint: hint ?? null,
            ...details,
          });
          terminal.print(lineOf(check.title, finding, terminal));
        },
      );
      return report(findings, terminal);
    } finally {
      await ports.http.close();
    }
  },
});

const TITLE_WIDTH = 19;

function lineOf(title: string, { status, message, hint }: Finding, terminal: Terminal): string {
  const mark = marks[status].padEnd(8);
  const painted =
    status === "ok" ? terminal.green(mark) : status === "problem" ? terminal.red(mark) : mark;
  const line = `${painted} ${title.padEnd(TITLE_WIDTH)} ${message}`;
  return hint === undefined
    ? line
    : `${line}\n${" ".repeat(TITLE_WIDTH + 10)}${terminal.dim(hint)}`;
}

const marks: Readonly<Record<FindingStatus, string>> = {
  ok: "ok",
  warning: "warning",
  problem: "PROBLEM",
  skipped: "-",
};

function report(findings: readonly Finding[], terminal: Terminal) {
  const count = (status: FindingStatus): number =>
    findings.filter((finding) => finding.status === status).length;
  const [problems, warnings, skipped] = [count("problem"), count("warning"), count("skipped")];
  terminal.emit("doctor", {
    check: "all",
    status: problems > 0 ? "problem" : warnings > 0 ? "warning" : "ok",
    problems,
    warnings,
    skipped,
  });
  const totals = [
    problems === 0 ? "No problem" : counted(problems, "problem"),
    ...(warnings === 0 ? [] : [counted(warnings, "warning")]),
  ].join(", ");
  terminal.print(`${totals}.`);
  return problems > 0 ? exitCode.failed : exitCode.done;
}
