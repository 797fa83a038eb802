import { oneOf } from "./option.ts";

const roles = ["read", "control"] as const;

/** `of`: who gets the role, as in "what it may do". */
export const roleOption = (of: string, normally: (typeof roles)[number]) =>
  oneOf<(typeof roles)[number]>(
    "--role <role>",
    `what ${of} may do: read, or control the bot too`,
    [normally, ...roles.filter((role) => role !== normally)],
  );
