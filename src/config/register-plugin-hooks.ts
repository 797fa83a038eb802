/** For `node --import`: installs the plugin hooks before anything else is loaded. */
import { installPluginHooks } from "./plugin-hooks.ts";

installPluginHooks();
