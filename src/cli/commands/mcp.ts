import path from "node:path";
import { TouchlineError } from "../../base/error.ts";
import { defineCliCommand } from "../command.ts";
import { argumentList, asPath, repeated } from "../option.ts";
import { codeVersion } from "../version.ts";

export default defineCliCommand({
  summary: "serve running bots to an agent, over the Model Context Protocol on stdin and stdout",
  details:
    "The agent reads what the bots' HTTP APIs show, and proposes parameters, which are replayed first. It acts only with a token of the role agent or control, from TOUCHLINE_TOKEN or --token-file, and never leaves a halt or changes a limit. Needs the package @modelcontextprotocol/sdk. See docs/agents.md.",
  args: { bots: asPath(argumentList("<bots...>", "YAML files of running bots on this machine")) },
  options: {
    tokenFiles: asPath(
      repeated(
        "--token-file <file>",
        "file with the access token of a bot; one for each bot, in order",
      ),
    ),
  },
  examples: [
    "mcp my-bot.yaml",
    "mcp one.yaml two.yaml --token-file one.token --token-file two.token",
  ],
  endsBySignal: true,
  async run({ args, options, overrides, env, interrupt }) {
    const { McpServer, StdioServerTransport } = await sdk();
    const { ApiClient, tokenIn } = await import("../api-client.ts");
    const { addTools } = await import("../mcp-server.ts");
    const { loadBotConfig } = await import("../../config/load-bot-config.ts");
    const load = async (file: string, at: number) => {
      const config = await loadBotConfig(file, { overrides, env, needs: "nothing" });
      const tokenFile = options.tokenFiles[at];
      const token = tokenFile === undefined ? env["TOUCHLINE_TOKEN"] : tokenIn(tokenFile);
      return { name: path.parse(file).name, api: new ApiClient(ApiClient.originOf(config), token) };
    };
    const [first = "", ...more] = args.bots;
    const bots = [
      await load(first, 0),
      ...(await Promise.all(more.map((file, at) => load(file, at + 1)))),
    ] as const;
    const server = new McpServer({ name: "touchline", version: codeVersion() });
    addTools(server, bots);
    // The client ends it so.
    process.stdin.once("end", () => interrupt.request());
    await server.connect(new StdioServerTransport());
    await interrupt.ended();
    await server.close();
  },
});

async function sdk() {
  try {
    const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
    const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
    return { McpServer, StdioServerTransport };
  } catch (cause) {
    throw new TouchlineError(
      "MCP_MISSING",
      "`touchline mcp` needs the package @modelcontextprotocol/sdk, which cannot be loaded.",
      { hint: "Install it beside touchline: npm install @modelcontextprotocol/sdk@1.", cause },
    );
  }
}
