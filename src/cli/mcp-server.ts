import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { TouchlineError } from "../base/error.ts";
import { type ActionName, actionText } from "../control/actions.ts";
import { actionBody } from "../control/protocol.ts";
import { PROPOSAL_PATH, resources } from "../dashboard/api-resources.ts";
import { responses } from "../dashboard/api-schema.ts";
import type { ApiClient } from "./api-client.ts";

/** A running bot that an agent may ask for. */
export interface AgentBot {
  readonly name: string;
  readonly api: ApiClient;
}

const change = z.object({
  strategy: z.string(),
  settings: z.array(z.string()),
  hours: z.number().positive().max(24).default(24).describe("How much of the journal is replayed."),
});

/** A change of parameters that has been replayed, with the parameters with which it was compared. */
interface Proposal extends z.output<typeof change> {
  readonly bot: AgentBot;
  readonly present: z.output<typeof responses.strategies>;
}

/** The actions that are tools as they are; a tune is proposed first. */
const steering = [
  "pause",
  "reduce-only",
  "resume",
  "halt",
] as const satisfies readonly ActionName[];
/** Proposals that are remembered. */
const MAX_PROPOSALS = 100;

type Args = Readonly<Record<string, unknown>>;

/** Adds a tool for each resource of the HTTP API, for the actions of agents, and for proposals. */
export function addTools(server: McpServer, bots: readonly [AgentBot, ...AgentBot[]]): void {
  const proposals = new Map<string, Proposal>();
  let count = 0;
  const bot = z
    .enum(bots.map(({ name }) => name) as [string, ...string[]])
    .default(bots[0].name)
    .describe("Which bot.");
  const botOf = (name: unknown): AgentBot => bots.find((one) => one.name === name) ?? bots[0];
  const parametersOf = async ({ api }: AgentBot) =>
    responses.strategies.parse(await api.get("/strategies"));

  function tool(
    name: string,
    about: { readonly description: string; readonly shape: z.ZodRawShape; readonly acts: boolean },
    run: (of: AgentBot, args: Args) => Promise<unknown>,
  ): void {
    const config = {
      description: about.description,
      inputSchema: { bot, ...about.shape },
      annotations: { readOnlyHint: !about.acts, openWorldHint: false },
    };
    server.registerTool(name, config, async ({ bot: wanted, ...args }: Args) => {
      try {
        return content(await run(botOf(wanted), args));
      } catch (thrown) {
        if (!(thrown instanceof TouchlineError)) throw thrown;
        const { code, message, hint } = thrown;
        return { ...content({ code, message, hint }), isError: true };
      }
    });
  }

  for (const { path, summary: description, input } of resources) {
    // As `propose_params`, which remembers it.
    if (path === PROPOSAL_PATH) continue;
    const name = path
      .replaceAll(/\{\w+\}\//g, "")
      .slice(1)
      .replaceAll("/", "_");
    tool(name, { description, shape: input.shape, acts: false }, ({ api }, args) => {
      const query = { ...args };
      const at = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
        delete query[key];
        return encodeURIComponent(String(args[key]));
      });
      return api.get(at, query);
    });
  }
  for (const name of steering) {
    const about = { description: actionText(name), shape: actionBody(name).shape, acts: true };
    tool(name.replace("-", "_"), about, async ({ api }, args) => done(await api.post(name, args)));
  }
  tool(
    "propose_params",
    {
      description:
        "Replays the last hours of the bot's journal with the present parameters of a strategy and with changed ones, and returns both figures with what they leave out. Changes nothing; apply_proposal does.",
      shape: change.shape,
      acts: false,
    },
    async (of, args) => {
      const given = change.parse(args);
      const present = await parametersOf(of);
      const settings = JSON.stringify(given.settings);
      const figures = await of.api.get(PROPOSAL_PATH, { ...given, settings });
      count += 1;
      const id = `p${count}`;
      proposals.set(id, { ...given, bot: of, present });
      const [oldest] = proposals.keys();
      if (proposals.size > MAX_PROPOSALS && oldest !== undefined) proposals.delete(oldest);
      return { proposal: id, ...Object(figures) };
    },
  );
  tool(
    "apply_proposal",
    {
      description:
        "Gives a strategy the parameters of a proposal that propose_params has replayed.",
      shape: { proposal: z.string() },
      acts: true,
    },
    async (of, { proposal: id }) => {
      const found = proposals.get(String(id));
      if (found?.bot !== of) {
        throw new TouchlineError(
          "PROPOSAL_UNKNOWN",
          `Bot ${of.name} has no replayed proposal ${String(id)}.`,
          {
            hint: "Replay it first: propose_params.",
          },
        );
      }
      const { strategy, settings, present } = found;
      if (!isDeepStrictEqual(present, await parametersOf(of))) {
        throw new TouchlineError(
          "PROPOSAL_STALE",
          "The bot's parameters have changed since this proposal was replayed.",
          { hint: "Propose it again." },
        );
      }
      const response = done(await of.api.post("tune", { strategy, settings }));
      // The others were compared with what the bot had before.
      for (const [other, { bot: whose }] of proposals) if (whose === of) proposals.delete(other);
      return response;
    },
  );
}

/** What the bot did. Throws TouchlineError `CONTROL_FAILED` when it could not. */
function done(response: unknown): unknown {
  const { ok, message } = Object(response) as { readonly ok?: boolean; readonly message?: string };
  if (ok === true) return response;
  throw new TouchlineError("CONTROL_FAILED", message ?? "The bot did not do it.");
}

function content(value: unknown) {
  return { content: [{ type: "text" as const, text: JSON.stringify(value) }] };
}
