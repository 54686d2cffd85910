"""How numbers and arithmetic are written: one form in, text, LaTeX or MathML out."""
