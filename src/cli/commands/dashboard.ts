import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { counted } from "../../base/counted.ts";
import { TouchlineError } from "../../base/error.ts";
import { errorText } from "../../base/error-text.ts";
import type { Overview } from "../../dashboard/api-schema.ts";
import { OWNER_ONLY } from "../../platform/private-file.ts";
import { argumentList, integer } from "../option.ts";
import { tokenFileOption } from "../token-file-option.ts";
import { defineCliCommand } from "../command.ts";
import { isReadByPerson, type Terminal } from "../terminal.ts";
import { codeVersion } from "../version.ts";

/** Between two looks at the bots. */
const LOOK_MS = 1_000;
/** A bot that does not respond for this long is a problem. */
const SEEN_MS = 2_000;

export default defineCliCommand({
  summary: "show several running bots in one page",
  details:
    "Prints a link that logs one browser in to a page on this machine, or where output is no terminal the file with the link: the problems of all bots, a row for each strategy in each market, and totals. A row leads to its bot's own page. A bot is a YAML file on this machine, or the address of a bot's page. A bot with access tokens needs one of the role read; with one of the role control this page acts on it. A token goes to its own bot alone, to another machine only over https.",
  args: {
    bots: argumentList("<bots...>", "YAML files of running bots, or addresses of their pages"),
  },
  options: {
    port: integer("--port <n>", "port of the page (default 8719)", { min: 0, max: 65_535 }),
    tokenFiles: tokenFileOption,
  },
  examples: [
    "dashboard one.yaml two.yaml",
    "dashboard one.yaml https://bots.example --token-file https://bots.example=reader.token",
  ],
  endsBySignal: true,
  async run({ args, options, overrides, env, terminal, interrupt }) {
    const { apiBots } = await import("../api-bots.ts");
    const { relayedAction } = await import("../relayed-action.ts");
    const { responses } = await import("../../dashboard/api-schema.ts");
    const { PageServer } = await import("../../dashboard/page-server.ts");
    const { SeveralBots } = await import("../../dashboard/several-bots.ts");
    const { webDir } = await import("../../dashboard/web-files.ts");
    const { tokenFiles } = options;
    const found = await apiBots(args.bots, { tokenFiles, isAgent: false, overrides, env });
    const bots = found.map((bot) => {
      const unseen: { overview?: Overview; problem?: string } = {};
      return { ...bot, mayAct: false, ...unseen };
    });
    const { port = 8719 } = options;
    const shown = new SeveralBots(codeVersion());
    const server = new PageServer(
      {
        host: "127.0.0.1",
        port,
        allowedHosts: [],
        insecureControl: false,
        needsLogin: true,
        version: codeVersion(),
        webDir: await webDir(),
        journal: "",
        journalThread: "",
        viewers: () => undefined,
        warn: (text) => terminal.warn(text),
        command: relayedAction(bots),
      },
      shown,
    );
    const look = async (): Promise<void> => {
      await Promise.all(
        bots.map(async (bot) => {
          try {
            const { role } = responses.session.parse(await bot.api.get("/session", {}, SEEN_MS));
            bot.mayAct = role === "control";
            bot.overview = responses.overview.parse(await bot.api.get("/overview", {}, SEEN_MS));
            delete bot.problem;
          } catch (error) {
            bot.problem = errorText(error);
          }
        }),
      );
      shown.see(bots);
      server.changed();
    };
    await look();
    const url = await server.listen().catch((cause: unknown) => {
      throw new TouchlineError("PORT_TAKEN", `Port ${port} cannot be used.`, {
        hint: "Give another one with --port, or 0 for any free one.",
        cause,
      });
    });
    const login = sayLogin(server.loginLink("control"), terminal);
    terminal.emit("dashboard", { url, ...login.emitted });
    terminal.print(
      `${url} shows ${counted(bots.length, "bot")}. To log a browser in: ${login.text}`,
    );
    let isLooking = false;
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void look().finally(() => (isLooking = false));
    }, LOOK_MS);
    await interrupt.ended();
    clearInterval(timer);
    await server.close();
    login.forget();
  },
});

/** The link for a person at the terminal; where output goes elsewhere, as into a log, a file that only its owner reads has it. */
function sayLogin(link: string, terminal: Terminal) {
  if (isReadByPerson(terminal)) return { text: link, emitted: {}, forget: () => undefined };
  const folder = mkdtempSync(path.join(tmpdir(), "touchline-login-"));
  const file = path.join(folder, "link");
  writeFileSync(file, `${link}\n`, { mode: OWNER_ONLY });
  return {
    text: `the link is in ${file}`,
    emitted: { linkFile: file },
    forget: () => rmSync(folder, { recursive: true, force: true }),
  };
}
