// What npm needs of the environment. Its own and its packages' code sees nothing else: no keys, no passwords.
// Plain JavaScript, no syntax newer than Node 20.

// Registries that need a token read it from NPM_TOKEN or NODE_AUTH_TOKEN; the last lines are for Windows.
const passed = new Set(
  `PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM NO_COLOR TMPDIR TEMP TMP
   XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME
   HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY PROXY SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS NODE_OPTIONS
   NODE_COMPILE_CACHE NODE_DISABLE_COMPILE_CACHE
   NPM_TOKEN NODE_AUTH_TOKEN
   SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT USERPROFILE USERNAME APPDATA LOCALAPPDATA PROGRAMDATA
   PROGRAMFILES HOMEDRIVE HOMEPATH`.split(/\s+/),
);

export function npmEnvironment(env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => {
      const upper = name.toUpperCase();
      return passed.has(upper) || upper.startsWith("LC_") || upper.startsWith("NPM_");
    }),
  );
}
