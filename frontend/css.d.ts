// A stylesheet is imported as its text; see build.mjs and vitest.config.ts.
declare module "*.css" {
  const text: string;
  export default text;
}
