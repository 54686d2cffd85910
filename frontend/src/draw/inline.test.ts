import { expect, it } from "vitest";
import { h } from "./dom";
import { inline } from "./inline";

const drawn = (text: string) => h("p", null, inline(text));

it.each([
  ["the matrices W_Q, XW_K and W_V", ["W|Q", "XW|K", "W|V"]],
  ["divide by √d_head", ["d|head"]],
  ["because e^−∞ is exactly 0, and e^0: 1", ["e|−∞", "e|0"]],
  ["put into e^…, which", ["e|…"]],
  ["e^−0.75 and 2^1.5e−6, then e^2. x^3, 4", ["e|−0.75", "2|1.5e−6", "e|2", "x|3"]],
  ["scores = Q · K^T", ["K|T"]],
  ["W_1 and b_1, from dW_Q and db_2", ["W|1", "b|1", "dW|Q", "db|2"]],
  ["W_Q_next = W_Q − η dW_Q, E_m_hat", ["W|Q_next", "W|Q", "dW|Q", "E|m_hat"]],
  ["tied: hidden · E^T", ["E|T"]],
])("draws the names in %j", (text, names) => {
  const found = [...drawn(text).querySelectorAll(".name")].map((name) => {
    const [base, , index] = name.children;
    return `${base?.textContent}|${index?.textContent}`;
  });
  expect(found).toEqual(names);
});

it("slants a lone symbol and no word", () => {
  const slanted = [...drawn("A row of X, with query i: E's rows, dE. I am.").querySelectorAll("var")];
  expect(slanted.map((one) => one.textContent)).toEqual(["X", "i", "E", "dE"]);
});

it.each([
  "√d_head · W_Q",
  "e^−∞ is 0",
  "embeddings_scaled and W_O_heads",
  "W_U^T · ffn_in, gain_1",
  "",
  "<b>W_Q</b> & X",
])("keeps every character of %j", (text) => {
  expect(drawn(text).textContent).toBe(text);
  expect(drawn(text).querySelector("b")).toBeNull();
});

it("leaves quoted words and long names alone", () => {
  expect(drawn("“W_Q” and “X”, embeddings_scaled, ffn_in, gain_1, norm_2").children).toHaveLength(0);
});
