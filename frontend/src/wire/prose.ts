// Generated from src/clearhead/trace/notation/prose.py by scripts/generate_wire_types.py; change that file and run the script.

/** What LaTeX needs for a character, by its code point. */
export const LATEX: Readonly<Record<number, string>> = { 33: "{!}", 34: "\\char34{}", 35: "\\#", 36: "\\$", 37: "\\%", 38: "\\&", 39: "{'}", 42: "{*}", 44: "{,}", 45: "{-}", 60: "\\textless{}", 62: "\\textgreater{}", 63: "{?}", 91: "{[}", 92: "\\textbackslash{}", 93: "{]}", 94: "\\textasciicircum{}", 95: "\\_", 96: "\\char96{}", 123: "\\{", 124: "\\textbar{}", 125: "\\}", 126: "\\textasciitilde{}", 8249: "$\\langle$", 8250: "$\\rangle$", 8629: "$\\hookleftarrow$", 8677: "$\\mapsto$", 8709: "$\\emptyset$", 9085: "\\textvisiblespace{}", 9229: "$\\hookleftarrow$", 9251: "\\textvisiblespace{}" };

/** Signs that Markdown lets be escaped. */
export const MARKDOWN = "!#$&()*+-.:<=>@[\\]^_`{|}~";
