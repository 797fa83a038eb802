#!/usr/bin/env node
// What `npx touchline` finds in a clone, where npm links no command of the root package itself.
import "../../bin/touchline.js";
