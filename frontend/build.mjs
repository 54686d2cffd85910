// Bundles the page into the Python package: one ES module and its index.html. `--watch` rebuilds on every change.
import { copyFile, mkdir } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = here("../src/clearhead/static/");

const options = {
  entryPoints: [here("src/main.ts")],
  outfile: `${target}app.js`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  loader: { ".css": "text" },
  logLevel: "warning",
};

await mkdir(target, { recursive: true });
// The page first: app.js is the newer file, and its time says how fresh the whole build is.
await copyFile(here("index.html"), `${target}index.html`);
if (process.argv.includes("--watch")) {
  await (await esbuild.context({ ...options, logLevel: "info" })).watch();
} else {
  // esbuild has printed its errors by then; a stack trace of its own would only hide them.
  await esbuild.build(options).catch(() => process.exit(1));
}
