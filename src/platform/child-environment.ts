export type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/** What programs need to find files and speak the user's language; the second half is for Windows. None of these holds a secret. */
const passed: ReadonlySet<string> = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR TEMP TMP DISPLAY WAYLAND_DISPLAY
   XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME
   SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA
   PROGRAMFILES HOMEDRIVE HOMEPATH`.split(/\s+/),
);

/** The environment of a thread that needs none: whether and where Node keeps compiled code. Ours may hold keys. */
export function threadEnvironment(env: ProcessEnvironment): ProcessEnvironment {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name.endsWith("_COMPILE_CACHE")),
  );
}

/** The environment of a program that we start: without keys, passwords and whatever else ours holds, unless `names` names it. */
export function childEnvironment(
  env: ProcessEnvironment,
  names: readonly string[] = [],
): ProcessEnvironment {
  const more = new Set(names);
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      const upper = name.toUpperCase();
      return passed.has(upper) || upper.startsWith("LC_") || more.has(name);
    }),
  );
}
