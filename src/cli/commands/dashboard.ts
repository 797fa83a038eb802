import { TouchlineError } from "../../base/error.ts";
import type { Overview } from "../../dashboard/api-schema.ts";
import { argumentList, integer } from "../option.ts";
import { tokenFileOption } from "../token-file-option.ts";
import { defineCliCommand } from "../command.ts";
import { codeVersion } from "../version.ts";

/** Between two looks at the bots. */
const LOOK_MS = 1_000;

export default defineCliCommand({
  summary: "show several running bots in one page",
  details:
    "Prints a link that logs one browser in to a page on this machine: the problems of all bots, a row for each strategy in each market, and totals. A row leads to its bot's own page, where the actions are. A bot is a YAML file on this machine, or the address of a bot's page. A bot with access tokens needs one of the role read. A token goes to its own bot alone, to another machine only over https.",
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
    const bots = (await apiBots(args.bots, { tokenFiles, overrides, env })).map((bot) => {
      const unseen: { overview?: Overview; problem?: string } = {};
      return { ...bot, ...unseen };
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
        command: () => Promise.reject(new Error("it shows bots and does not steer them")),
      },
      shown,
    );
    const look = async (): Promise<void> => {
      await Promise.all(
        bots.map(async (bot) => {
          try {
            bot.overview = responses.overview.parse(await bot.api.get("/overview"));
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
    const link = server.loginLink("read");
    terminal.emit("dashboard", { url, link });
    terminal.print(`${bots.length} bots are shown at ${url}. To log a browser in: ${link}`);
    const timer = setInterval(() => void look(), LOOK_MS);
    await interrupt.ended();
    clearInterval(timer);
    await server.close();
  },
});
