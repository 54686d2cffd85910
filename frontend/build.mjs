// Bundles the page into the Python package: one ES module and its index.html. `--watch` rebuilds on every change.
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = here("../src/clearhead/static/");

/** Style sheets are text in the script: without the comments and the white space that only their readers need. */
const styles = {
  name: "styles",
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const css = await readFile(path, "utf8");
      const { code } = await esbuild.transform(css, {
        loader: "css",
        minifyWhitespace: true,
        charset: "utf8",
      });
      return { contents: code, loader: "text" };
    });
  },
};

const options = {
  entryPoints: [here("src/main.ts")],
  outfile: `${target}app.js`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  charset: "utf8",
  plugins: [styles],
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
