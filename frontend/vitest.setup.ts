import { vi } from "vitest";

// The files of tests share one process, which is three times as fast as one each; every file begins with an empty page.
document.body.replaceChildren();
document.adoptedStyleSheets = [];
localStorage.clear();
sessionStorage.clear();
vi.restoreAllMocks();
vi.unstubAllGlobals();
vi.useRealTimers();
