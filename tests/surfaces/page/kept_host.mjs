// Asks the host of a saved page, as a browser would: node kept_host.mjs PAGE < messages.json > replies.json
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";

const sources = fileURLToPath(new URL("../../../frontend/", import.meta.url));
const esbuild = createRequire(`${sources}package.json`)("esbuild");

const entry = `
  export { Content } from "./hosts/kept/content";
  export { keptHost } from "./hosts/kept/kept";`;
const built = await esbuild.build({
  stdin: { contents: entry, resolveDir: `${sources}src`, loader: "ts" },
  ...{ bundle: true, format: "esm", platform: "neutral", write: false, target: "es2022" },
});
const code = Buffer.from(built.outputFiles[0].contents).toString("base64");
const { Content, keptHost } = await import(`data:text/javascript;base64,${code}`);

const page = await readFile(process.argv[2], "utf8");
const parts = [...page.matchAll(/id="clearhead-part-\d+">([^<]*)</g)].map(([, text]) => text);
const read = async (number) => {
  const bytes = inflateSync(Buffer.from(parts[number], "base64"));
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
};
const host = keptHost(await Content.open(read));

let text = "";
for await (const piece of process.stdin) text += piece;
const replies = [];
for (const message of JSON.parse(text)) {
  const [{ data, buffers }] = await host.ask([message]);
  const numbers = buffers.map((one) => Array.from(one, (number) => (Number.isFinite(number) ? number : String(number))));
  replies.push({ held: host.holds(message), data, buffers: numbers });
}
process.stdout.write(JSON.stringify(replies));
