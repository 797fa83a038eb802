import { oneOf } from "./option.ts";

/** `of`: who gets the role, as in "what it may do". The first role is the default. */
export const roleOption = <const Role extends "read" | "agent" | "control">(
  of: string,
  roles: readonly [Role, ...Role[]],
) => oneOf<Role>("--role <role>", `what ${of} may do`, roles);
