import { dialog, textField } from "../../draw/dialog";
import { h } from "../../draw/dom";
import { parseNumber, plainNumber } from "../../draw/numbers";

/**
 * The numbers of a typed row, or a sentence about what is wrong with them.
 * Spaces, semicolons, tabs, and commas with a space after them stand between numbers; a comma inside a number is
 * refused, because "1,5" is one number to some readers and two to others.
 */
export function parseRow(typed: string, length: number): number[] | string {
  const parts = typed
    .replace(/[[\]]/g, " ")
    .split(/,\s+|[\s;]+/)
    .filter((part) => part !== "");
  const numbers: number[] = [];
  for (const part of parts) {
    const value = parseNumber(part);
    if (value === null)
      return `“${part}” is not a number; write ${length} numbers such as 0.5 or −1, with spaces between them.`;
    numbers.push(value);
  }
  if (numbers.length !== length)
    return `The row has ${numbers.length} numbers, and d_model is ${length}: ${length} were expected.`;
  return numbers;
}

/** Asks for a word's row of E; opened inside `root`, and gone again afterwards. */
export function askRow(
  root: HTMLElement,
  word: string,
  row: number[],
  use: (row: number[]) => void,
  after: () => void,
): void {
  const field = textField(`${row.length} numbers, with spaces between them`, row.map(plainNumber).join("  "));
  const asking = dialog({
    title: `The row of “${word}” in E`,
    content: [
      h("p", null, "The row says where the word stands among the others; any numbers will do."),
      field.element,
    ],
    confirm: "use this row",
    onConfirm() {
      const parsed = parseRow(field.input.value, row.length);
      if (typeof parsed === "string") return parsed;
      use(parsed);
      return null;
    },
  });
  asking.element.addEventListener("close", () => {
    asking.element.remove();
    after();
  });
  root.append(asking.element);
  asking.open();
  field.input.select();
}
