import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { defineConfig, type Plugin } from "vitest/config";

/** Gives a stylesheet as its text, as esbuild does in build.mjs. */
const cssAsText: Plugin = {
  name: "css-as-text",
  enforce: "pre",
  resolveId(source, importer) {
    return source.endsWith(".css") && importer ? `\0text:${resolve(dirname(importer), source)}.js` : null;
  },
  load(id) {
    if (!id.startsWith("\0text:")) return null;
    return `export default ${JSON.stringify(readFileSync(id.slice("\0text:".length, -".js".length), "utf8"))}`;
  },
};

export default defineConfig({
  plugins: [cssAsText],
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.ts"],
    isolate: false,
    setupFiles: ["vitest.setup.ts"],
  },
});
