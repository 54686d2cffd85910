/** The arrangement of the parts that come after the stops. */
import live from "./live/live.css";
import model from "./model/model.css";
import report from "./report/report.css";
import study from "./study/study.css";
import training from "./training/training.css";

export const partsCss = [training, live, study, model, report].join("\n");
