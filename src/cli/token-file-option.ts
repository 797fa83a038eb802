import { asPath, repeated } from "./option.ts";

export const tokenFileOption = asPath(
  repeated(
    "--token-file <[bot=]file>",
    "file with the access token of a bot; with several bots BOT=FILE, the bot as in the arguments",
  ),
);
