/** The arrangement that is particular to this page; everything that other views share is in draw/. */
import bar from "./bar.css";
import beginning from "./beginning.css";
import page from "./page.css";
import print from "./print.css";
import stops from "./stops.css";

export const walkthroughCss = [beginning, bar, stops, page, print].join("\n");
