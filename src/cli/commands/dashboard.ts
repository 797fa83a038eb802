import { TouchlineError } from "../../base/error.ts";
import { type ActionName, actions } from "../../control/actions.ts";
import type { ControlRequest } from "../../control/protocol.ts";
import type { Overview } from "../../dashboard/api-schema.ts";
import { argumentList, integer } from "../option.ts";
import { tokenFileOption } from "../token-file-option.ts";
import { defineCliCommand } from "../command.ts";
import { codeVersion } from "../version.ts";

/** Between two looks at the bots. */
const LOOK_MS = 1_000;
/** A bot that does not respond for this long is a problem. */
const SEEN_MS = 2_000;

export default defineCliCommand({
  summary: "show several running bots in one page",
  details:
    "Prints a link that logs one browser in to a page on this machine: the problems of all bots, a row for each strategy in each market, and totals. A row leads to its bot's own page. A bot is a YAML file on this machine, or the address of a bot's page. A bot with access tokens needs one of the role read; with one of the role control this page acts on it. A token goes to its own bot alone, to another machine only over https.",
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
        async command(line, by, name) {
          const bot = bots.find((one) => one.name === name);
          if (bot === undefined) {
            const names = bots.map((one) => one.name).join(", ");
            throw new TouchlineError(
              "BOT_UNKNOWN",
              `An action needs ?bot=NAME, with one of ${names}.`,
            );
          }
          // The bot's own API knows this page by its token, and not the caller.
          if (by.isAgent === true) {
            throw new TouchlineError("NOT_FOR_AGENTS", "Only a person may do this.");
          }
          const { command: action, ...request } = JSON.parse(line) as ControlRequest;
          const confirmed = "confirms" in actions[action as ActionName] ? { confirm: true } : {};
          return JSON.stringify(await bot.api.post(action, { ...request, ...confirmed }));
        },
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
            bot.problem = error instanceof Error ? error.message : String(error);
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
    const link = server.loginLink("control");
    terminal.emit("dashboard", { url, link });
    terminal.print(`${bots.length} bots are shown at ${url}. To log a browser in: ${link}`);
    let isLooking = false;
    const timer = setInterval(() => {
      if (isLooking) return;
      isLooking = true;
      void look().finally(() => (isLooking = false));
    }, LOOK_MS);
    await interrupt.ended();
    clearInterval(timer);
    await server.close();
  },
});
